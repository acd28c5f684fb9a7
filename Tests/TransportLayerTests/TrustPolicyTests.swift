import ServerFixtures
import Synchronization
import Testing

@testable import TransportLayer

/// Which certificates are rejected, and with which message.
@Suite(.timeLimit(.minutes(20)))
struct TrustPolicyTests {
    private func odd(_ name: String, client serverName: String = "xmpp.test", listed: Bool = false) async throws
        -> TransportError?
    {
        let certificates = try await OddCertificates.shared.value
        let authority = listed ? certificates.authorityWithList : certificates.authority
        return try await Loopback.refusal(
            client: TLSConfiguration(serverName: serverName, trust: .certificateAuthority(authority)),
            server: TLSServerConfiguration(
                certificateChainFile: certificates.certificate(name), privateKeyFile: certificates.key(name)))
    }

    @Test("S3-32: an expired certificate is rejected with its date")
    func expired() async throws {
        let error = try await Loopback.refusal(client: Loopback.client(), server: Loopback.server(.expired))
        #expect(error?.code == .certificateRefused)
        #expect(error?.description.contains("expired on 2021-01-01") == true)
        #expect(error?.certificates.first?.names.contains("xmpp.test") == true)
    }

    @Test("S3-32: a certificate for another name is rejected with its names")
    func wrongName() async throws {
        let error = try await Loopback.refusal(client: Loopback.client(), server: Loopback.server(.wrongName))
        #expect(error?.certificateProblems == [.wrongName(expected: "xmpp.test", names: ["wrong.test"])])
        #expect(error?.description.contains("not for xmpp.test but for wrong.test") == true)
    }

    @Test("S3-32: a self-signed certificate is rejected as such")
    func selfSigned() async throws {
        let error = try await Loopback.refusal(client: Loopback.client(), server: Loopback.server(.selfSigned))
        #expect(error?.certificateProblems == [.selfSigned(subject: "CN=xmpp.test")])
        #expect(error?.description.contains("self-signed") == true)
    }

    @Test("S3-32: an unknown authority is rejected by name")
    func unknownAuthority() async throws {
        let configuration = TLSConfiguration(serverName: "xmpp.test", trust: .system)
        let error = try await Loopback.refusal(client: configuration, server: Loopback.server())
        #expect(error?.certificateProblems == [.unknownAuthority(issuer: "CN=Hongyan test authority")])
        #expect(error?.description.contains("unknown authority: CN=Hongyan test authority") == true)
    }

    @Test("S3-32: a certificate that is not yet valid is rejected with its date")
    func notYetValid() async throws {
        #expect(try await odd("future")?.description.contains("not valid before 2090-01-01") == true)
    }

    @Test("S3-32: a revoked certificate is rejected if the revocation list is available, and no other")
    func revoked() async throws {
        #expect(try await odd("revoked", listed: true)?.certificateProblems == [.revoked(subject: "CN=xmpp.test")])
        #expect(try await odd("revoked") == nil)
        #expect(try await odd("good", listed: true) == nil)
    }

    @Test(
        "The name is matched with the subjectAltName only (RFC 9525)",
        arguments: [
            ("good", "xmpp.test", true), ("good", "XMPP.Test.", true), ("good", "a.xmpp.test", false),
            ("wildcard", "a.xmpp.test", true), ("wildcard", "xmpp.test", false), ("wildcard", "a.b.xmpp.test", false),
            ("service", "xmpp.test", true), ("service", "other.test", false),
            ("address", "xmpp.test", true), ("address", "a.xmpp.test", false),
            ("ip", "127.0.0.1", true), ("ip", "::1", true), ("ip", "0:0:0:0:0:0:0:1", true), ("ip", "127.0.0.2", false),
            ("ip", "xmpp.test", false), ("bare", "xmpp.test", false), ("rsa", "xmpp.test", true),
            ("ed25519", "xmpp.test", true),
        ])
    func names(_ certificate: String, _ name: String, _ isGood: Bool) async throws {
        let error = try await odd(certificate, client: name)
        #expect((error == nil) == isGood, "\(String(describing: error))")
    }

    @Test("A client certificate and a weak key are no valid server certificate", arguments: ["client", "weak"])
    func unfit(_ name: String) async throws {
        let certificates = try await OddCertificates.shared.value
        // A current server refuses to use a weak key at all; either way no connection is established.
        let error: TransportError?
        do { error = try await odd(name) } catch let caught as TransportError { error = caught }
        #expect(error != nil)
        _ = certificates
    }

    @Test("S0-28: a pinned certificate is accepted despite all errors", arguments: Certificates.Kind.allCases)
    func pinned(_ kind: Certificates.Kind) async throws {
        let server = try await Loopback.server(kind)
        let shown = try await shown(by: server)
        var client = try await Loopback.client()
        client.trust = .pinned([shown.sha256Fingerprint])
        #expect(try await Loopback.refusal(client: client, server: server) == nil)
        client.trust = .pinned([[UInt8](repeating: 7, count: 32)])
        let error = try await Loopback.refusal(client: client, server: server)
        #expect(error?.certificateProblems == [.notPinned(fingerprint: shown.fingerprintText)])
    }

    private func shown(by server: TLSServerConfiguration) async throws -> CertificateInformation {
        let asked = Mutex<TrustEvaluation?>(nil)
        let client = TLSConfiguration(
            serverName: "xmpp.test",
            trust: .ask(isAlwaysAsked: true) { evaluation in
                asked.withLock { $0 = evaluation }
                return false
            })
        let error = try await Loopback.refusal(client: client, server: server)
        #expect(error?.code == .certificateRefused)
        return try #require(asked.withLock { $0 }?.certificates.first)
    }

    @Test(
        "S0-29: the app decides during the handshake, with the chain and the errors", arguments: [true, false])
    func asked(_ answer: Bool) async throws {
        let authority = try await Certificates.shared.authorityFile
        let asked = Mutex<[TrustEvaluation]>([])
        let client = TLSConfiguration(
            serverName: "xmpp.test",
            trust: .ask(anchors: .file(authority)) { evaluation in
                // Elsewhere, and some time later.
                await Task.yield()
                asked.withLock { $0.append(evaluation) }
                return answer
            })
        // A valid certificate needs no decision.
        #expect(try await Loopback.refusal(client: client, server: Loopback.server()) == nil)
        #expect(asked.withLock { $0 }.isEmpty)
        let error = try await Loopback.refusal(client: client, server: Loopback.server(.expired))
        #expect((error == nil) == answer)
        let question = try #require(asked.withLock { $0 }.first)
        #expect(question.serverName == "xmpp.test")
        #expect(question.problems.contains { if case .expired = $0 { true } else { false } })
        #expect(question.certificates.first?.issuer == "CN=Hongyan test authority")
    }

    @Test("S0-30: the errors that the user accepted are in the TLS information")
    func overruled() async throws {
        let ends = try await Loopback.pair()
        let server = try await Loopback.server(.selfSigned)
        async let accepted = ends.server.acceptTLS(server)
        let information = try await ends.client.startTLS(
            TLSConfiguration(serverName: "xmpp.test", trust: .ask { _ in true }))
        _ = try await accepted
        #expect(information.overruledProblems == [.selfSigned(subject: "CN=xmpp.test")])
        #expect(await ends.client.tlsInformation == information)
    }

    @Test("A missing authority file is an invalid configuration, with a message")
    func missingFile() async throws {
        let client = TLSConfiguration(serverName: "xmpp.test", trust: .certificateAuthority("/nowhere.pem"))
        let ends = try await Loopback.pair()
        let error = await #expect(throws: TransportError.self) { _ = try await ends.client.startTLS(client) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("/nowhere.pem: No such file or directory") == true)
    }

    @Test(
        "Dates are formatted by the calendar",
        arguments: [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (4_102_444_799, "2099-12-31"), (-1, "1969-12-31")]
            as [(Int64, String)])
    func dates(_ seconds: Int64, _ text: String) {
        #expect(calendarDate(seconds) == text)
    }
}
