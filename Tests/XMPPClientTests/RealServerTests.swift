import ServerFixtures
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// The servers that tests run against.
enum ServerKind: String, CaseIterable, CustomTestStringConvertible {
    case prosody, ejabberd

    var testDescription: String { rawValue }

    func shared(_ options: ServerOptions = ServerOptions()) async throws -> any PrivateServer {
        switch self {
        case .prosody: try await PrivateProsody.shared(options)
        case .ejabberd: try await PrivateEjabberd.shared(options)
        }
    }
}

extension PrivateServer {
    /// The configuration for an account of this server.
    func configuration(
        _ account: Account, resource: String? = nil, port: UInt16? = nil,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> ClientConfiguration {
        var configuration = ClientConfiguration(
            address: try JID(local: account.username, domain: account.domain, resource: resource),
            password: account.password)
        configuration.host = host
        configuration.port = port ?? self.port
        configuration.trust = .certificateAuthority(authorityFile)
        configuration.reconnection = ReconnectionPolicy(attempts: 20, backoff: Backoff(first: .milliseconds(20)))
        // The speed of a machine that runs other tests at the same time is not tested.
        configuration.loginTimeout = .seconds(120)
        configuration.resumptionTimeout = .seconds(60)
        change(&configuration)
        return configuration
    }
}

@Suite("Real servers", .timeLimit(.minutes(20)))
struct RealServerTests {
    @Test(
        "S0-18, S0-69, S0-76, S0-79, S0-105, S1-5, S3-2, S3-30, S3-31, S3-33: log in over TLS, go online, chat",
        arguments: ServerKind.allCases)
    func chat(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (alice, bob) = (try await server.newAccount("alice"), try await server.newAccount("bob"))
        try await Client(try server.configuration(bob, resource: "phone")).run { bobSession in
            let inbox = bobSession.events(.messages)
            try await bobSession.send(Presence(show: .extendedAway, status: "我现在很忙"))
            try await Client(try server.configuration(alice, resource: "desk")).run { session in
                #expect(await session.address?.description == "\(alice.address)/desk")
                #expect(await session.agreement?.tls?.version == .tls13)
                #expect(await session.agreement?.isManaged == true)
                try await session.send(Presence())
                let token = try await session.send(.chat(to: try JID("\(bob.address)/phone"), body: "Привет 😀 <&>"))
                let message = await inbox.message()
                #expect(message?.body == "Привет 😀 <&>")
                #expect(message?.from?.description == "\(alice.address)/desk")
                try await token.reached(.acknowledged)
                _ = try await session.request(Ping(), to: try JID(server.domain))
            }
        }
    }

    @Test("S0-35, S0-77: a wrong password is rejected as such", arguments: ServerKind.allCases)
    func wrongPassword(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let account = try await server.newAccount()
        let configuration = try server.configuration(account) { $0.credentials.password = "wrong" }
        let error = await clientError { try await Client(configuration).run { _ in } }
        #expect(error?.code == .authenticationFailed && error?.exitClass == .authentication)
    }

    @Test("S3-23: a cut connection is resumed and nothing is lost or duplicated", arguments: ServerKind.allCases)
    func resume(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let proxy = try FaultProxy(to: server.port)
        defer { proxy.stop() }
        let (alice, bob) = (try await server.newAccount("alice"), try await server.newAccount("bob"))
        try await Client(try server.configuration(bob, resource: "r")).run { bobSession in
            let inbox = bobSession.events(.messages)
            try await bobSession.send(Presence())
            let receiver = try JID("\(bob.address)/r")
            try await Client(try server.configuration(alice, resource: "r", port: proxy.port)).run { session in
                let events = session.events(.connection)
                var tokens: [SendToken] = []
                for number in 0..<40 {
                    if number == 20 { proxy.resetConnections() }
                    tokens.append(try await session.send(.chat(to: receiver, body: "\(number)")))
                }
                let isResumed = await events.first {
                    if case .connection(.online(_, let isResumed)) = $0 { isResumed } else { nil }
                }
                #expect(isResumed == true)
                for token in tokens { try await token.reached(.acknowledged) }
                var bodies: [String] = []
                _ = await inbox.first { event -> Bool? in
                    if case .message(let message) = event, let body = message.body { bodies.append(body) }
                    return bodies.last == "39" ? true : nil
                }
                #expect(bodies == (0..<40).map(String.init))
            }
        }
    }

    @Test("a silent network is detected by the keep-alive and the session resumed", arguments: ServerKind.allCases)
    func silence(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let proxy = try FaultProxy(to: server.port)
        defer { proxy.stop() }
        let account = try await server.newAccount()
        let configuration = try server.configuration(account, port: proxy.port) {
            $0.keepAlive = .probe(silence: .milliseconds(300), timeout: .seconds(15))
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            proxy.configure {
                $0.stallsUpstream = true
                $0.stallsDownstream = true
            }
            let error = await events.first { event -> ClientError? in
                if case .connection(.disconnected(let error, _)) = event { error } else { nil }
            }
            #expect(error?.streamFailure?.code == .serverUnresponsive)
            proxy.heal()
            let isResumed = await events.first {
                if case .connection(.online(_, let isResumed)) = $0 { isResumed } else { nil }
            }
            #expect(isResumed != nil)
            _ = try await session.request(Ping(), to: try JID(server.domain))
        }
    }

    @Test(
        "S0-28, S0-29, S3-32: a bad certificate is rejected with the reason; the user may accept it",
        arguments: [Certificates.Kind.expired, .wrongName, .selfSigned])
    func certificates(kind: Certificates.Kind) async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.certificate = kind })
        let account = try await server.newAccount()
        let error = await clientError { try await Client(try server.configuration(account)).run { _ in } }
        #expect(error?.code == .encryptionFailed)
        #expect(error?.streamFailure?.code == .certificateRejected)
        let asked = Box<Bool>()
        let file = server.authorityFile
        let lenient = try server.configuration(account) {
            $0.trust = .ask(anchors: .file(file)) { _ in
                asked.value = true
                return true
            }
        }
        try await Client(lenient).run { _ = try await $0.request(Ping(), to: try JID(server.domain)) }
        #expect(asked.value == true)
    }

    @Test("direct TLS", arguments: ServerKind.allCases)
    func directTLS(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let account = try await server.newAccount()
        let configuration = try server.configuration(account, port: server.directTLSPort) { $0.encryption = .directTLS }
        try await Client(configuration).run { _ = try await $0.request(Ping(), to: try JID(server.domain)) }
    }

    @Test("S0-32, S0-78, S1-7: an account registered in-band can log in", arguments: ServerKind.allCases)
    func registration(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let account = Account(
            username: "new-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))", password: "wélcome",
            domain: server.domain)
        let configuration = try server.configuration(account)
        let form = try XMLElement(
            parsing: """
                <query xmlns='jabber:iq:register'><username>\(account.username)</username>\
                <password>\(account.password)</password></query>
                """)
        try await Client(configuration).register { registration in
            _ = try await registration.request(IQ(type: .set, to: try JID(server.domain), payload: form))
        }
        try await Client(configuration).run { _ = try await $0.request(Ping(), to: try JID(server.domain)) }
    }

    @Test("S0-73: no listener")
    func refused() async throws {
        let server = try await PrivateProsody.shared
        let proxy = try FaultProxy(to: server.port)
        let port = proxy.port
        proxy.stop()
        let account = try await server.newAccount()
        let error = await clientError { try await Client(try server.configuration(account, port: port)).run { _ in } }
        #expect(error?.exitClass == .connection)
    }

    @Test(
        "S3-12, S3-13, S3-14: without a host the domain is resolved; one that does not exist is reported as not found")
    func lookUp() async throws {
        let server = try await PrivateProsody.shared
        let account = try await server.newAccount()
        var connector = Connector()
        // Nothing answers there, so the SRV query fails and the domain itself is tried.
        connector.configuration.resolver.servers = ["127.0.0.1:1"]
        connector.configuration.resolver.deadline = .milliseconds(300)
        let configuration = try server.configuration(account) {
            $0.host = nil
            $0.port = nil
            $0.transports = .network(connector)
        }
        let error = await clientError { try await Client(configuration).run { _ in } }
        #expect(error?.exitClass == .connection)
    }

    @Test("W-19, S2-8: after run the server has no session left")
    func politeEnd() async throws {
        let server = try await PrivateProsody.shared
        let account = try await server.newAccount()
        try await Client(try server.configuration(account)).run { try await $0.send(Presence()) }
        #expect(try await server.sessionCount(of: account.username) == 0)
    }

    @Test("three hundred messages between two sessions arrive in order", arguments: ServerKind.allCases)
    func burst(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (alice, bob) = (try await server.newAccount("alice"), try await server.newAccount("bob"))
        try await Client(try server.configuration(bob, resource: "r")).run { bobSession in
            let inbox = bobSession.events(.messages)
            try await bobSession.send(Presence())
            let receiver = try JID("\(bob.address)/r")
            try await Client(try server.configuration(alice)).run { session in
                let count = 300
                async let sending: Void = {
                    for number in 0..<count {
                        try await session.send(Message(to: receiver, type: .chat, body: "\(number)"))
                    }
                }()
                var next = 0
                _ = await inbox.first { event -> Bool? in
                    if case .message(let message) = event, message.body == "\(next)" { next += 1 }
                    return next == count ? true : nil
                }
                try await sending
                #expect(next == count)
            }
        }
    }
}
