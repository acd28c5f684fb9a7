import Foundation
import ServerFixtures
import Testing

/// What the `openssl` program, as an independent witness, says about the servers' TLS.
@Suite("TLS of the private servers", .timeLimit(.minutes(20)))
struct ServerTLSTests {
    /// The program says "Verification: OK" after a failed handshake too; only "Verified peername" tells of a good one.
    private func openssl(_ server: some PrivateServer, _ options: String...) async throws -> String {
        try await OutsideProgram.run(
            [
                "openssl", "s_client", "-connect", "127.0.0.1:\(server.directTLSPort)", "-CAfile",
                server.authorityFile, "-verify_hostname", server.domain, "-servername", server.domain,
            ] + options
        ).output
    }

    @Test(
        "the certificate is as bad as it was ordered",
        arguments: [
            (Certificates.Kind.server, "Verified peername: xmpp.test"), (.expired, "certificate has expired"),
            (.wrongName, "hostname mismatch"), (.selfSigned, "self-signed certificate"),
        ])
    func showsCertificate(kind: Certificates.Kind, verdict: String) async throws {
        let server = try await PrivateProsody(ServerOptions { $0.certificate = kind })
        #expect(try await openssl(server).contains(verdict))
    }

    @Test("ejabberd shows its certificate too, and takes TLS 1.2 alone when told so")
    func ejabberd() async throws {
        let server = try await PrivateEjabberd.shared
        #expect(try await openssl(server, "-tls1_3").contains("Verified peername: xmpp.test"))
        let old = try await PrivateEjabberd(ServerOptions { $0.tls = .only12 })
        #expect(!(try await openssl(old, "-tls1_3").contains("Verified peername: xmpp.test")))
        #expect(try await openssl(old, "-tls1_2").contains("Verified peername: xmpp.test"))
    }

    @Test("TLS versions are those that were ordered", arguments: ServerOptions.TLSVersions.allCases)
    func speaksVersions(versions: ServerOptions.TLSVersions) async throws {
        let server = try await PrivateProsody(ServerOptions { $0.tls = versions })
        let speaks12 = try await openssl(server, "-tls1_2").contains("Verified peername: xmpp.test")
        let speaks13 = try await openssl(server, "-tls1_3").contains("Verified peername: xmpp.test")
        #expect(speaks12 == (versions != .only13))
        #expect(speaks13 == (versions != .only12))
    }
}
