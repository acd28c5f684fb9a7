import Foundation
import ServerFixtures
import Testing

/// The report of the `openssl` program, as an independent reference, about the servers' TLS.
@Suite("TLS of the private servers", .timeLimit(.minutes(20)))
struct ServerTLSTests {
    /// The program prints "Verification: OK" after a failed handshake too; only "Verified peername" proves success.
    private func openssl(_ server: some PrivateServer, _ options: String...) async throws -> String {
        try await OutsideProgram.run(
            [
                "openssl", "s_client", "-connect", "127.0.0.1:\(server.directTLSPort)", "-CAfile",
                server.authorityFile, "-verify_hostname", server.domain, "-servername", server.domain,
            ] + options
        ).output
    }

    @Test(
        "the certificate has the configured defect",
        arguments: [
            (Certificates.Kind.server, "Verified peername: xmpp.test"), (.expired, "certificate has expired"),
            (.wrongName, "hostname mismatch"), (.selfSigned, "self-signed certificate"),
        ])
    func showsCertificate(kind: Certificates.Kind, verdict: String) async throws {
        let server = try await PrivateProsody(ServerOptions { $0.certificate = kind })
        #expect(try await openssl(server).contains(verdict))
    }

    @Test("ejabberd uses its certificate too, and only TLS 1.2 if configured so")
    func ejabberd() async throws {
        let server = try await PrivateEjabberd.shared
        #expect(try await openssl(server, "-tls1_3").contains("Verified peername: xmpp.test"))
        let old = try await PrivateEjabberd(ServerOptions { $0.tls = .only12 })
        #expect(!(try await openssl(old, "-tls1_3").contains("Verified peername: xmpp.test")))
        #expect(try await openssl(old, "-tls1_2").contains("Verified peername: xmpp.test"))
    }

    @Test("the TLS versions are the configured ones", arguments: ServerOptions.TLSVersions.allCases)
    func speaksVersions(versions: ServerOptions.TLSVersions) async throws {
        let server = try await PrivateProsody(ServerOptions { $0.tls = versions })
        let speaks12 = try await openssl(server, "-tls1_2").contains("Verified peername: xmpp.test")
        let speaks13 = try await openssl(server, "-tls1_3").contains("Verified peername: xmpp.test")
        #expect(speaks12 == (versions != .only13))
        #expect(speaks13 == (versions != .only12))
    }
}
