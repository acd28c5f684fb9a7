import Cryptography
import SASLMechanisms
import ServerSide
import Testing

@Suite("Hashed tokens")
struct HashedTokenTests {
    static let exporter = ChannelBinding.tlsExporter(Array(repeating: 7, count: 32))
    static let bindings: [ChannelBinding?] = [
        exporter, .tlsUnique([1, 2, 3]), .tlsServerEndPoint([4, 5, 6]), nil,
    ]

    static func hmac(_ token: String, _ message: [UInt8]) -> [UInt8] {
        HMAC.authenticationCode(for: message, key: Array(token.utf8), using: .sha256)
    }

    static func digest() throws -> SASLDigest { try #require(SASLDigests.library[.sha256]) }

    @Test("The message is the name, U+0000 and the HMAC over Initiator and the binding", arguments: bindings)
    func message(binding: ChannelBinding?) throws {
        var client = HashedTokenClient(
            username: "juliet", token: "secret", digest: try Self.digest(), binding: binding)
        let proof = Self.hmac("secret", Array("Initiator".utf8) + (binding?.data ?? []))
        #expect(try client.start() == Array("juliet\0".utf8) + proof)
        try client.succeed(with: Self.hmac("secret", Array("Responder".utf8) + (binding?.data ?? [])))
    }

    @Test(
        "Names",
        arguments: [
            ("HT-SHA-256-EXPR", SASLHash.sha256, ChannelBinding.Kind.tlsExporter),
            ("HT-SHA-256-UNIQ", .sha256, .tlsUnique), ("HT-SHA-512-ENDP", .sha512, .tlsServerEndPoint),
        ])
    func names(name: String, hash: SASLHash, kind: ChannelBinding.Kind) {
        let mechanism = SASLMechanismName.hashedToken(hash, binding: kind)
        #expect(mechanism.rawValue == name)
        #expect(mechanism.hashedToken?.hash == hash)
        #expect(mechanism.hashedToken?.binding == kind)
        #expect(mechanism.isChannelBound)
        #expect(!SASLMechanismName.hashedToken(hash, binding: nil).isChannelBound)
        #expect(SASLMechanismName(rawValue: "HT-SHA3-512-EXPR").hashedToken == nil)
    }

    @Test("Client and server understand each other", arguments: bindings)
    func exchange(binding: ChannelBinding?) throws {
        let digest = try Self.digest()
        var client = HashedTokenClient(username: "juliet", token: "new", digest: digest, binding: binding)
        var server = HashedTokenServer(digest: digest, binding: binding) { $0 == "juliet" ? ["old", "new"] : [] }
        guard case .success(let identity, let data) = server.messageReceived(try client.start()) else {
            Issue.record("The server refused.")
            return
        }
        #expect(identity.username == "juliet")
        try client.succeed(with: data)
    }

    @Test("Another token, another binding and an invalid message are rejected")
    func refused() throws {
        let digest = try Self.digest()
        func answer(token: String, binding: ChannelBinding?) throws -> SASLServerStep {
            var client = HashedTokenClient(username: "juliet", token: token, digest: digest, binding: binding)
            var server = HashedTokenServer(digest: digest, binding: Self.exporter) { _ in ["secret"] }
            return server.messageReceived(try client.start())
        }
        #expect(try answer(token: "guess", binding: Self.exporter) == .failure(.notAuthorized))
        #expect(try answer(token: "secret", binding: .tlsExporter([9])) == .failure(.notAuthorized))
        #expect(try answer(token: "secret", binding: nil) == .failure(.notAuthorized))
        var server = HashedTokenServer(digest: digest, binding: nil) { _ in ["secret"] }
        for message in [nil, [], [0, 1, 2], Array("juliet".utf8), [0xFF, 0, 1]] as [[UInt8]?] {
            #expect(server.messageReceived(message) == .failure(.malformedRequest))
        }
    }

    @Test("A server that does not know the token is rejected")
    func serverProof() throws {
        for (data, code) in [
            (nil, SASLError.Code.serverSignatureMissing), ([], .serverSignatureMissing),
            ([1, 2, 3], .serverSignatureMismatch),
        ] as [([UInt8]?, SASLError.Code)] {
            var client = HashedTokenClient(
                username: "juliet", token: "secret", digest: try Self.digest(), binding: nil)
            _ = try client.start()
            #expect(throws: SASLError(code)) { try client.succeed(with: data) }
            #expect(throws: SASLError(.unexpectedMessage)) { try client.succeed(with: data) }
        }
        var client = HashedTokenClient(username: "juliet", token: "secret", digest: try Self.digest(), binding: nil)
        _ = try client.start()
        #expect(throws: SASLError(.unexpectedMessage)) { try client.respond(to: [1]) }
    }

    static let offered = [
        "HT-SHA-256-NONE", "HT-SHA-256-UNIQ", "HT-SHA-256-EXPR", "HT-SHA-256-ENDP", "HT-SHA3-512-EXPR",
    ]

    static func negotiator(
        _ security: SASLConnectionSecurity, _ policy: SASLPolicy = SASLPolicy()
    ) -> SASLNegotiator {
        SASLNegotiator(policy: policy, security: security, digests: .library)
    }

    @Test("The best common binding is requested; an unbound token only if it is allowed")
    func choice() {
        let both = SASLConnectionSecurity.tls13(bindings: [.tlsServerEndPoint([1]), Self.exporter])
        #expect(Self.negotiator(both).tokenMechanism(from: Self.offered)?.rawValue == "HT-SHA-256-EXPR")
        let old = SASLConnectionSecurity.tls12(bindings: [.tlsServerEndPoint([1]), .tlsUnique([2])])
        #expect(Self.negotiator(old).tokenMechanism(from: Self.offered)?.rawValue == "HT-SHA-256-UNIQ")
        let none = SASLConnectionSecurity.tls13(bindings: [])
        #expect(Self.negotiator(none).tokenMechanism(from: Self.offered) == nil)
        var policy = SASLPolicy()
        policy.allowsUnboundTokens = true
        #expect(Self.negotiator(none, policy).tokenMechanism(from: Self.offered)?.rawValue == "HT-SHA-256-NONE")
        policy.requiresChannelBinding = true
        #expect(Self.negotiator(none, policy).tokenMechanism(from: Self.offered) == nil)
        #expect(Self.negotiator(.clear, policy).tokenMechanism(from: Self.offered) == nil)
    }

    @Test("tls-unique is not used with TLS 1.3, whatever the transport provides")
    func uniqueOnTLS13() {
        let security = SASLConnectionSecurity.tls13(bindings: [.tlsUnique([1])])
        let mechanism = SASLMechanismName.hashedToken(.sha256, binding: .tlsUnique)
        #expect(!Self.negotiator(security).canUseToken(for: mechanism))
        #expect(
            Self.negotiator(security).makeTokenClient(for: mechanism, username: "juliet", token: "x") == nil)
    }
}
