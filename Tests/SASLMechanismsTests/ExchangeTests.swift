import SASLMechanisms
import ServerSide
import Testing

/// A mechanism and its channel binding.
struct BoundExchange: Sendable, CustomTestStringConvertible {
    let hash: SASLHash
    let binding: GS2ChannelBinding
    let signsInChallenge: Bool

    var testDescription: String { "SCRAM-\(hash.rawValue) \(binding)\(signsInChallenge ? ", own challenge" : "")" }

    static let bindings: [GS2ChannelBinding] = [
        .unsupported, .notOffered, .bound(.tlsExporter(Array(0..<32))), .bound(.tlsUnique(Array(0..<12))),
        .bound(.tlsServerEndPoint(Array(0..<48))),
    ]

    static let all = SASLHash.allCases.flatMap { hash in
        bindings.flatMap { binding in
            [false, true].map { BoundExchange(hash: hash, binding: binding, signsInChallenge: $0) }
        }
    }

    var isBound: Bool { if case .bound = binding { true } else { false } }

    func server(bindings: [ChannelBinding]? = nil) throws -> SCRAMServer {
        var own: [ChannelBinding] = []
        if case .bound(let binding) = binding { own = [binding] }
        let keys = try SCRAMServerKeys.pencil(hash)
        return SCRAMServer(
            configuration: .init(
                digest: .library(hash), isChannelBound: isBound, channelBindings: bindings ?? own, nonce: "server",
                signsInChallenge: signsInChallenge)
        ) { $0 == "user" ? keys : nil }
    }

    func client(_ credentials: SASLCredentials = .pencil) -> SCRAMClient {
        SCRAMClient(credentials: credentials, digest: .library(hash), channelBinding: binding, nonce: "client")
    }
}

@Suite("SASL, client with server")
struct ExchangeTests {
    @Test("SCRAM succeeds with every hash function and binding", arguments: BoundExchange.all)
    func scram(exchange: BoundExchange) throws {
        var client: any SASLClientMechanism = exchange.client()
        var server: any SASLServerMechanism = try exchange.server()
        #expect(client.name == server.name)
        #expect(client.name.isChannelBound == exchange.isBound)
        #expect(try run(&client, against: &server) == .success(SASLIdentity(username: "user")))
        #expect(client.reusableKeys?.hash == exchange.hash)
    }

    @Test("a wrong password is rejected with every hash function and binding", arguments: BoundExchange.all)
    func wrongPassword(exchange: BoundExchange) throws {
        var client: any SASLClientMechanism = exchange.client(SASLCredentials(username: "user", password: "pen"))
        var server: any SASLServerMechanism = try exchange.server()
        #expect(try run(&client, against: &server) == .refused(.notAuthorized, .invalidProof))
        #expect(client.reusableKeys == nil)
    }

    @Test("an unknown user is rejected")
    func unknownUser() throws {
        let exchange = BoundExchange(hash: .sha256, binding: .unsupported, signsInChallenge: false)
        var client: any SASLClientMechanism = exchange.client(SASLCredentials(username: "nobody", password: "pencil"))
        var server: any SASLServerMechanism = try exchange.server()
        #expect(try run(&client, against: &server) == .refused(.notAuthorized, .unknownUser))
    }

    @Test(
        "a man in the middle is detected by the binding, because the two ends see different connections",
        arguments: [
            (ChannelBinding.tlsExporter([1]), ChannelBinding.tlsExporter([2])),
            (.tlsUnique([1]), .tlsUnique([2])), (.tlsServerEndPoint([1]), .tlsServerEndPoint([1, 2])),
            (.tlsExporter([1]), .tlsExporter([])),
        ])
    func differentConnections(clients: ChannelBinding, servers: ChannelBinding) throws {
        let exchange = BoundExchange(hash: .sha1, binding: .bound(clients), signsInChallenge: false)
        var client: any SASLClientMechanism = exchange.client()
        var server: any SASLServerMechanism = try exchange.server(bindings: [servers])
        #expect(try run(&client, against: &server) == .refused(.notAuthorized, .channelBindingsDoNotMatch))
    }

    @Test("a binding type that the server does not support is rejected")
    func otherKind() throws {
        let exchange = BoundExchange(hash: .sha1, binding: .bound(.tlsUnique([1])), signsInChallenge: false)
        var client: any SASLClientMechanism = exchange.client()
        var server: any SASLServerMechanism = try exchange.server(bindings: [.tlsExporter([1])])
        #expect(try run(&client, against: &server) == .refused(.notAuthorized, .unsupportedChannelBindingType))
    }

    @Test("a list without its -PLUS names is detected by the flag y")
    func downgradeFlag() throws {
        let keys = try SCRAMServerKeys.pencil(.sha256)
        var server: any SASLServerMechanism = SCRAMServer(
            configuration: .init(digest: .library(.sha256), nonce: "server", offersChannelBinding: true)
        ) { _ in keys }
        let negotiator = SASLNegotiator(security: .tls13(bindings: [.tlsExporter([1])]), digests: .library)
        let offer = SASLOffer(mechanisms: ["SCRAM-SHA-256"])
        let selection = try negotiator.select(from: offer, for: .pencil)
        var client = try negotiator.makeClient(for: selection, credentials: .pencil, nonce: "client", offer: offer)
        #expect(try run(&client, against: &server) == .refused(.notAuthorized, .serverDoesSupportChannelBinding))
        #expect(SCRAMServerError.serverDoesSupportChannelBinding.meansTampering)
    }

    @Test(
        "names with comma and equals sign are transferred correctly", arguments: ["a,b=c", "=2C", ",", "=", "ü,é=日本"])
    func escapedNames(name: String) throws {
        let keys = try SCRAMServerKeys.pencil(.sha1)
        var server: any SASLServerMechanism = SCRAMServer(
            configuration: .init(digest: .library(.sha1), nonce: "server")
        ) { $0 == name ? keys : nil }
        var client: any SASLClientMechanism = SCRAMClient(
            credentials: SASLCredentials(username: name, password: "pencil", authorizationID: name + "@example.org"),
            digest: .library(.sha1), nonce: "client")
        let outcome = try run(&client, against: &server)
        #expect(outcome == .success(SASLIdentity(username: name, authorizationID: name + "@example.org")))
    }

    @Test("the keys of one exchange replace the password in the next")
    func reusedKeys() throws {
        let exchange = BoundExchange(hash: .sha512, binding: .unsupported, signsInChallenge: false)
        var client: any SASLClientMechanism = exchange.client()
        var server: any SASLServerMechanism = try exchange.server()
        _ = try run(&client, against: &server)
        let keys = try #require(client.reusableKeys)

        var next: any SASLClientMechanism = exchange.client(
            SASLCredentials(username: "user", password: nil, scramKeys: [keys]))
        var nextServer: any SASLServerMechanism = try exchange.server()
        #expect(try run(&next, against: &nextServer) == .success(SASLIdentity(username: "user")))
        #expect(next.reusableKeys == keys)
    }

    @Test("keys for another salt require the password, and are then valid again")
    func staleKeys() throws {
        let keys = try #require(
            SCRAMKeys(password: "pencil", salt: [1], iterations: 4096, digest: .library(.sha1)))
        let exchange = BoundExchange(hash: .sha1, binding: .unsupported, signsInChallenge: false)
        var client: any SASLClientMechanism = exchange.client(
            SASLCredentials(username: "user", password: nil, scramKeys: [keys]))
        var server: any SASLServerMechanism = try exchange.server()
        #expect(throws: SASLError(.passwordNeeded)) { try run(&client, against: &server) }

        client = exchange.client(SASLCredentials(username: "user", password: "pencil", scramKeys: [keys]))
        server = try exchange.server()
        #expect(try run(&client, against: &server) == .success(SASLIdentity(username: "user")))
    }

    @Test("a stored salted password gives the same keys as the password")
    func saltedPassword() throws {
        let digest = SASLDigest.library(.sha256)
        let salted = try #require(digest.pbkdf2(Array("pencil"), [7], 4096))
        let keys = SCRAMKeys(saltedPassword: salted, salt: [7], iterations: 4096, digest: digest)
        #expect(keys == SCRAMKeys(password: "pencil", salt: [7], iterations: 4096, digest: digest))
    }

    @Test("descriptions of credentials and keys never contain the secret")
    func redaction() throws {
        let keys = try #require(
            SCRAMKeys(password: "pencil", salt: [1], iterations: 4096, digest: .library(.sha1)))
        let credentials = SASLCredentials(username: "user", password: "pencil", scramKeys: [keys])
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(keys, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), "\(keys)", String(reflecting: [keys]), dumped] {
            #expect(!text.contains("pencil") && !text.contains("user") && !text.contains("\(keys.clientKey[0]), "))
        }
    }
}
