import ServerFixtures
import Synchronization
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// External components (XEP-0114) of all servers.
@Suite("Components of real servers", .timeLimit(.minutes(20)))
struct ComponentLiveTests {
    typealias Kind = ServerFixtures.ServerKind

    /// A domain for each test, because a component is connected once.
    enum Service: String, CaseIterable {
        case echo = "echo.test"
        case many = "many.test"
        case requests = "requests.test"
        case refusal = "refusal.test"
        case conflict = "conflict.test"
        case slow = "slow.test"
    }

    static let options = ServerOptions { $0.componentDomains = Service.allCases.map(\.rawValue) }

    static func configuration(
        _ service: Service, on server: any PrivateServer, secret: String? = nil, domain: String? = nil,
        _ change: (inout ComponentConfiguration) -> Void = { _ in }
    ) throws -> ComponentConfiguration {
        var configuration = ComponentConfiguration(
            domain: try JID(domain ?? service.rawValue), secret: secret ?? server.componentSecret)
        configuration.port = server.componentPort
        configuration.reconnection = ReconnectionPolicy(attempts: nil, backoff: Backoff(first: .milliseconds(20)))
        // The speed of a machine that runs other tests at the same time is not tested.
        configuration.loginTimeout = .seconds(120)
        configuration.requestTimeout = .seconds(120)
        change(&configuration)
        return configuration
    }

    /// Runs a component that says back what its addresses are told, and a client beside it.
    private static func withEcho(
        _ configuration: ComponentConfiguration, _ client: Client?,
        _ body: @escaping @Sendable (_ component: Session, _ client: Session?) async throws -> Void
    ) async throws {
        try await Component(configuration).run { component in
            let messages = component.events(.messages)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for await batch in messages {
                        for case .message(let message) in batch where message.isChatMessageWithBody {
                            guard let sender = message.from, let body = message.body else { continue }
                            var echo = Message.chat(to: sender, body: body)
                            echo.from = message.to
                            // A server that is about to stop may take it or not.
                            _ = try? await component.send(echo)
                        }
                    }
                }
                if let client {
                    try await client.run { try await body(component, $0) }
                } else {
                    try await body(component, nil)
                }
                await component.close()
                try await group.waitForAll()
            }
        }
    }

    private static func expectEcho(from address: String, to session: Session, _ text: String) async throws {
        let inbox = session.events(.messages)
        try await session.send(.chat(to: try JID(address), body: text))
        let answer = await inbox.message()
        #expect(answer?.from?.description == address)
        #expect(answer?.body == text && answer?.isError == false)
    }

    @Test("three addresses of a component answer, each in its own name", arguments: Kind.allCases)
    func echo(kind: Kind) async throws {
        let server = try await kind.shared(Self.options)
        let client = Client(try server.configuration(try await server.newAccount("person")))
        try await Self.withEcho(try Self.configuration(.echo, on: server), client) { component, session in
            let session = try #require(session)
            #expect(await component.address?.description == "echo.test")
            for address in ["goose@echo.test", "swan@echo.test/pond", "echo.test"] {
                try await Self.expectEcho(from: address, to: session, "嘎！ <&> to \(address)")
            }
        }
    }

    @Test("1,000 addresses of a component each answer a message", arguments: Kind.allCases)
    func thousand(kind: Kind) async throws {
        let server = try await kind.shared(Self.options)
        let client = Client(try server.configuration(try await server.newAccount("person")))
        try await Self.withEcho(try Self.configuration(.many, on: server), client) { _, session in
            let session = try #require(session)
            let inbox = session.events(.messages)
            let addresses = try (1...1000).map { try JID("goose\($0)@many.test") }
            try await session.send(contentsOf: addresses.map { .chat(to: $0, body: $0.description) })
            var answers: Set<String> = []
            _ = await inbox.first { event -> Bool? in
                guard case .message(let message) = event, let sender = message.from else { return nil }
                #expect(message.body == sender.description)
                #expect(answers.insert(sender.description).inserted)
                return answers.count == addresses.count ? true : nil
            }
            #expect(answers.count == 1000)
        }
    }

    @Test("a component that reads slowly stops its stream, and gets everything in order then", arguments: Kind.allCases)
    func backPressure(kind: Kind) async throws {
        let server = try await kind.shared(Self.options)
        let client = Client(try server.configuration(try await server.newAccount("person")))
        try await Component(try Self.configuration(.slow, on: server)).run { component in
            let inbox = component.events(.messages, limit: 8)
            try await client.run { session in
                let texts = (0..<200).map { "\($0)" }
                let goose = try JID("goose@slow.test")
                try await session.send(contentsOf: texts.map { .chat(to: goose, body: $0) })
                while component.observersBehind.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                #expect(component.observersBehind.first?.contains("ComponentLiveTests.swift:") == true)
                var read: [String] = []
                for await batch in inbox {
                    for case .message(let message) in batch { read.append(message.body ?? "") }
                    if read.count == texts.count { break }
                }
                #expect(read == texts)
                #expect(component.observersBehind.isEmpty)
            }
            await component.close()
        }
    }

    @Test("requests reach the address that was asked, and responses the address that asked", arguments: Kind.allCases)
    func requests(kind: Kind) async throws {
        let server = try await kind.shared(Self.options)
        var settings = try server.configuration(try await server.newAccount("person"))
        settings.requestTimeout = .seconds(120)
        try await Self.withEcho(try Self.configuration(.requests, on: server), Client(settings)) { component, session in
            let session = try #require(session)
            try await component.register(
                IQHandler(Question.self) { _, iq in Question(iq.to?.description ?? "nobody") })
            for address in ["a@requests.test", "b@requests.test/x", "requests.test"] {
                #expect(try await session.request(Question("who?"), to: try JID(address)).text == address)
                let refusal = try await session.answer(to: IQ(Ping(), to: try JID(address)))
                #expect(refusal.error?.condition == .serviceUnavailable)
                #expect(refusal.from?.description == address)
            }

            // The other direction, from several addresses at the same time.
            try await session.register(
                IQHandler(Question.self, audience: .everybody) { _, iq in Question(iq.from?.description ?? "nobody") })
            let person = try #require(await session.address)
            try await withThrowingTaskGroup { group in
                for number in 1...20 {
                    group.addTask {
                        let own = try JID("goose\(number)@requests.test")
                        let answer = try await component.request(Question("who?"), from: own, to: person)
                        #expect(answer.text == own.description)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await component.request(Question("who?"), to: person).text == "requests.test")
            // The component asks one of its own addresses, over the server.
            let own = try await component.request(
                Question("who?"), from: try JID("a@requests.test"), to: try JID("b@requests.test"))
            #expect(own.text == "b@requests.test")
            #expect(try await component.probe(within: .seconds(60)))

            // Nothing is sent from outside of the domain, or to nobody: the stream goes on.
            var forged = Message.chat(to: person, body: "forged")
            for sender in ["admin@xmpp.test", "requests.test.evil.example", "a@sub.requests.test"] {
                forged.from = try JID(sender)
                let error = await clientError { try await component.send(forged) }
                #expect(error?.code == .invalidConfiguration && error?.message.contains("its domain") == true)
            }
            let error = await clientError { try await component.send(Presence()) }
            #expect(error?.message.contains("for whom") == true)
            try await Self.expectEcho(from: "a@requests.test", to: session, "still here")
        }
    }

    @Test(
        "a wrong secret and an unknown name are errors that say so, and no log contains a secret",
        arguments: Kind.allCases)
    func refusals(kind: Kind) async throws {
        let server = try await kind.shared(Self.options)
        let lines = Mutex<[String]>([])
        func error(secret: String?, domain: String?) async throws -> ClientError? {
            let configuration = try Self.configuration(.refusal, on: server, secret: secret, domain: domain) {
                $0.add { SessionLog($0, .stanzas) { _, line in lines.withLock { $0.append(line) } } }
            }
            return await clientError { try await Component(configuration).run { _ in } }
        }
        let wrong = try await error(secret: "extremely-private", domain: nil)
        #expect(
            wrong?.code == .authenticationFailed && wrong?.exitClass == .authentication, "\(String(describing: wrong))")
        #expect(wrong?.streamFailure?.streamError?.condition == .notAuthorized)
        #expect(wrong?.message.contains("secret") == true)

        let unknown = try await error(secret: nil, domain: "nobody.test")
        #expect(
            unknown?.streamFailure?.code == .componentRefused,
            "\(String(describing: unknown)) \(server.log.suffix(400))")

        #expect(try await error(secret: nil, domain: nil) == nil)
        let log = lines.withLock { $0.joined(separator: "\n") }
        #expect(log.contains("logging in with handshake"))
        #expect(!log.contains("extremely-private") && !log.contains(server.componentSecret))
    }

    @Test(
        "a second connection of a component is a conflict, and the first one goes on",
        arguments: [Kind.prosody012, .prosody13])
    func conflict(kind: Kind) async throws {
        let server = try await kind.shared(Self.options)
        let configuration = try Self.configuration(.conflict, on: server)
        let client = Client(try server.configuration(try await server.newAccount("person")))
        try await Self.withEcho(configuration, client) { _, session in
            let error = await clientError { try await Component(configuration).run { _ in } }
            #expect(error?.code == .conflict && error?.streamFailure?.code == .componentRefused)
            #expect(error?.message.contains("already") == true)
            try await Self.expectEcho(from: "a@conflict.test", to: try #require(session), "first")
        }
    }

    @Test("a component is back after a restart and after a crash of its server", arguments: Kind.allCases)
    func restart(kind: Kind) async throws {
        let server = try await kind.start(Self.options)
        let account = try await server.newAccount("person")
        try await Self.withEcho(try Self.configuration(.echo, on: server), nil) { component, _ in
            for isCrash in [false, true] {
                let events = component.events(.connection)
                if isCrash { await server.kill() } else { await server.stop() }
                try await server.start()
                _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
                try await Client(try server.configuration(account)).run { session in
                    try await Self.expectEcho(from: "goose@echo.test", to: session, "back \(isCrash)")
                }
            }
        }
    }
}

@Suite("Settings of a component")
struct ComponentConfigurationTests {
    private func problem(_ change: (inout ComponentConfiguration) -> Void) throws -> ClientError? {
        var configuration = ComponentConfiguration(domain: try JID("bots.example"), secret: "s")
        change(&configuration)
        do throws(ClientError) {
            try configuration.validate()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "without permission the host is this machine, because nothing is encrypted",
        arguments: [
            ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("localhost", true), ("LOCALHOST", true),
            ("10.0.0.1", false), ("example.com", false), ("127.0.0.1.example.com", false), ("127.example.com", false),
            ("127.0.0.256", false), ("127.0.0.+1", false), ("localhost.example.com", false), ("", false), ("::", false),
        ])
    func hosts(host: String, isAllowed: Bool) throws {
        let error = try problem { $0.host = host }
        #expect((error == nil) == isAllowed)
        if !isAllowed { #expect(error?.code == .invalidConfiguration && error?.message.contains("encrypted") == true) }
        let allowed = try problem {
            $0.host = host
            $0.allowsTrustedNetwork = true
        }
        #expect(allowed == nil)
    }

    @Test("an account is no domain, a secret is needed, and neither the settings nor their dump contain it")
    func secret() async throws {
        let account = try JID("a@bots.example")
        #expect(try problem { $0.domain = account }?.code == .invalidConfiguration)
        let empty = ComponentConfiguration(domain: try JID("bots.example"), secret: "")
        let error = await clientError { try await Component(empty).run { _ in } }
        #expect(error?.message.contains("no secret") == true)

        let configuration = ComponentConfiguration(domain: try JID("bots.example"), secret: "extremely-private")
        var text = "\(configuration) \(String(reflecting: configuration)) \(configuration.session)"
        dump(configuration, to: &text)
        dump(Component(configuration), to: &text)
        #expect(!text.contains("extremely-private"))
    }

    @Test("a response counts only for the address that asked, from the address that was asked")
    func responses() throws {
        var table = RequestTable<Int>()
        let (goose, swan, person) = (try JID("goose@b.test"), try JID("swan@b.test"), try JID("p@x.test/r"))
        table.enter(id: "1", from: goose, to: person, deadline: .now, waiter: 7)
        func response(from sender: JID, to receiver: JID, id: String = "1") -> IQ {
            var iq = IQ(type: .result, to: receiver, id: id)
            iq.from = sender
            return iq
        }
        #expect(table.answered(by: response(from: person, to: swan)) == nil)
        #expect(table.answered(by: response(from: person.bare, to: goose)) == nil)
        #expect(table.answered(by: response(from: person, to: goose, id: "2")) == nil)
        #expect(table.answered(by: response(from: person, to: goose)) == 7)
        #expect(table.answered(by: response(from: person, to: goose)) == nil)
    }
}
