import ServerFixtures
import Testing

@testable import TransportLayer

/// Both ends of TLS in memory.
@Suite(.timeLimit(.minutes(20)))
struct TLSEngineTests {
    private func pair(
        _ version: TLSVersion, alpn: [String] = [], serverALPN: [String] = [], odd: String? = nil
    ) async throws -> EnginePair {
        var client = try await Loopback.client()
        client.applicationProtocols = alpn
        var server = try await Loopback.server()
        server.applicationProtocols = serverALPN
        if let odd {
            let certificates = try await OddCertificates.shared.value
            client.trust = .certificateAuthority(certificates.authority)
            server.certificateChainFile = certificates.certificate(odd)
            server.privateKeyFile = certificates.key(odd)
        }
        client.minimumVersion = version
        client.maximumVersion = version
        return EnginePair(client: try TLSEngine(client: client), server: try TLSEngine(server: server))
    }

    @Test(
        "S0-30: both versions work, and both ends agree about the channel", arguments: [TLSVersion.tls12, .tls13])
    func bindings(_ version: TLSVersion) async throws {
        var pair = try await pair(version)
        let (client, server) = try pair.settle()
        #expect(client.version == version)
        #expect(server.version == version)
        #expect(!client.cipher.isEmpty)
        #expect(client.tlsExporter?.count == 32)
        #expect(client.tlsExporter == server.tlsExporter)
        #expect(client.tlsServerEndPoint?.count == 32)
        #expect(client.tlsServerEndPoint == server.tlsServerEndPoint)
        #expect((client.tlsUnique != nil) == (version == .tls12))
        #expect(client.tlsUnique == server.tlsUnique)
        #expect(client.peerCertificates.first?.names.contains("xmpp.test") == true)
        #expect(client.peerCertificates.first?.pem.hasPrefix("-----BEGIN CERTIFICATE-----\n") == true)
    }

    @Test("Two connections have different bindings")
    func bindingsDiffer() async throws {
        var one = try await pair(.tls13)
        var other = try await pair(.tls13)
        let first = try one.settle().client.tlsExporter
        let second = try other.settle().client.tlsExporter
        #expect(first != second)
    }

    @Test("tls-server-end-point is the hash of the certificate, independent of its own key")
    func serverEndPoint() async throws {
        var rsa = try await pair(.tls13, odd: "rsa")
        let information = try rsa.settle().client
        #expect(information.tlsServerEndPoint == information.peerCertificates.first?.sha256Fingerprint)
        // The hash function is that of the signature, which is the authority's; so an Ed25519 key of the leaf changes
        // nothing.
        var edwards = try await pair(.tls13, odd: "ed25519")
        let other = try edwards.settle().client
        #expect(other.tlsServerEndPoint?.count == 32)
    }

    @Test("One byte at a time makes no difference", arguments: [TLSVersion.tls12, .tls13])
    func slices(_ version: TLSVersion) async throws {
        var pair = try await pair(version)
        pair.slice = 1
        _ = try pair.settle()
        let bytes = pattern(40_000)
        try pair.client.encrypt(bytes)
        var received: [UInt8] = []
        for byte in pair.client.takeOutput() {
            received += try withUnsafeBytes(of: byte) { try pair.server.decrypt($0) }
        }
        #expect(received == bytes)
        // It buffers no bytes when idle.
        let hasOutput = pair.client.hasOutput
        #expect(!hasOutput)
    }

    @Test(
        "ALPN is offered and not required",
        arguments: [([], nil), (["xmpp-client"], "xmpp-client"), (["other"], nil)] as [([String], String?)])
    func applicationProtocol(_ serverSide: [String], _ expected: String?) async throws {
        var pair = try await pair(.tls13, alpn: [TLSConfiguration.xmppClientProtocol], serverALPN: serverSide)
        let (client, server) = try pair.settle()
        #expect(client.applicationProtocol == expected)
        #expect(server.applicationProtocol == expected)
    }

    @Test("close_notify differs from an end of the connection")
    func closeNotify() async throws {
        var pair = try await pair(.tls13)
        _ = try pair.settle()
        try pair.server.encrypt([1, 2])
        pair.server.finishWriting()
        let bytes = pair.server.takeOutput()
        let before = pair.client.isPeerFinished
        let plaintext = try bytes.withUnsafeBytes { try pair.client.decrypt($0) }
        let after = pair.client.isPeerFinished
        #expect(!before)
        #expect(plaintext == [1, 2])
        #expect(after)
    }

    @Test("A modified byte is an error, never different text")
    func tampering() async throws {
        var pair = try await pair(.tls13)
        _ = try pair.settle()
        try pair.server.encrypt(Array("<message/>".utf8))
        var bytes = pair.server.takeOutput()
        bytes[bytes.count - 3] ^= 1
        do {
            _ = try bytes.withUnsafeBytes { try pair.client.decrypt($0) }
            Issue.record("it must not be read")
        } catch let error as TransportError { #expect(error.code == .tlsFailed) }
    }

    @Test("A server without a common version gets an alert", arguments: [TLSVersion.tls12, .tls13])
    func versions(_ version: TLSVersion) async throws {
        var server = try await Loopback.server()
        server.minimumVersion = version == .tls12 ? .tls13 : .tls12
        server.maximumVersion = server.minimumVersion
        var client = try await Loopback.client()
        client.minimumVersion = version
        client.maximumVersion = version
        let error = try await Loopback.refusal(client: client, server: server)
        #expect(error?.code == .tlsFailed)
    }

    @Test("A missing key file is an invalid configuration, with a message")
    func missingFile() throws {
        let configuration = TLSServerConfiguration(certificateChainFile: "/nowhere.crt", privateKeyFile: "/nowhere.key")
        do throws(TransportError) {
            _ = try TLSEngine(server: configuration)
            Issue.record("it must not work")
        } catch {
            #expect(error.code == .invalidConfiguration)
            #expect(error.description.contains("/nowhere.crt"))
        }
    }
}
