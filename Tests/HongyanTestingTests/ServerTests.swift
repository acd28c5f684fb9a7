import Hongyan
import HongyanTesting
import Testing

@Suite("The server in memory", .timeLimit(.minutes(5)))
struct ServerTests {
    @Test("a scripted peer answers by its rule")
    func rule() async throws {
        let server = MemoryServer(users: ["bot"])
        let alice = try await server.peer("alice")
        await alice.answer { stanza in
            guard case .iq(let iq) = stanza, iq.requiresResponse else { return [] }
            return [.iq(IQ.result(for: iq))]
        }
        try await Client(server.account("bot")).run { session in
            _ = try await session.ping(alice.address)
        }
        guard case .iq(let question)? = await alice.next() else {
            Issue.record("No request arrived.")
            return
        }
        #expect(question.from?.local == "bot")
    }

    @Test("a test replies in the place of the server")
    func answers() async throws {
        let server = MemoryServer(users: ["bot"])
        await server.answer { element in
            guard element.firstChild?.name.namespace == "jabber:iq:version" else { return nil }
            let id = element["id"] ?? ""
            return [
                "<iq type='result' from='xmpp.test' id='\(id)'><query xmlns='jabber:iq:version'><name>Nest</name></query></iq>"
            ]
        }
        try await Client(server.account("bot")).run { session in
            let version = try await session.request(SoftwareVersionRequest(), to: try JID("xmpp.test"))
            #expect(version.softwareName == "Nest")
            try await session.ping()
        }
    }

    @Test("a request that the server refuses throws its error")
    func refusal() async throws {
        let server = MemoryServer(users: ["bot"])
        await server.refuse(Ping.name, StanzaError(.notAllowed))
        try await Client(server.account("bot")).run { session in
            let error = await #expect(throws: ClientError.self) {
                try await session.request(Ping(), to: try JID("xmpp.test"))
            }
            #expect(error?.stanzaError?.condition == .notAllowed)
        }
    }

    @Test("a request times out by the virtual clock, at once in real time")
    func timeout() async throws {
        let server = MemoryServer(users: ["bot"])
        let clock = VirtualClock()
        var configuration = try server.account("bot")
        configuration.requestTimeout = .seconds(3600)
        clock.drive(&configuration)
        await server.ignore(Ping.name)
        try await Client(configuration).run { session in
            let error = await #expect(throws: ClientError.self) {
                try await clock.run(.seconds(600)) { try await session.request(Ping(), to: try JID("xmpp.test")) }
            }
            #expect(error?.code == .timedOut)
        }
    }

    @Test("a bot goes on after its connection was cut, and gets what was sent meanwhile once")
    func cut() async throws {
        let server = MemoryServer(users: ["bot"])
        let alice = try await server.peer("alice")
        let line = LineFaults()
        let configuration = try server.account("bot") {
            $0.reconnection.attempts = nil
            line.apply(to: &$0)
        }
        let bot = Task { try await echo(configuration) }
        await server.next("presence")
        line.refuse()
        await server.cut("bot")
        await server.wait { !$0.isOnline("bot") && $0.suspendedCount == 1 }
        for number in 1...3 { await alice.send(.chat(to: try JID("bot@xmpp.test"), body: "\(number)")) }
        line.refuse(false)
        for number in 1...3 { #expect(await alice.message()?.body == "\(number)") }
        #expect(await server.connections == 2)
        bot.cancel()
        _ = await bot.result
    }

    @Test("a killed server refuses connections and forgets the session, and the bot is back after it")
    func kill() async throws {
        let server = MemoryServer(users: ["bot"])
        let configuration = try server.account("bot") { $0.reconnection.attempts = nil }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            await server.kill()
            #expect(await server.suspendedCount == 0)
            await server.restart()
            await Self.newSession(events)
            try await session.ping()
        }
    }

    /// Returns when a session has begun that resumes none.
    private static func newSession(_ events: SessionEvents) async {
        for await batch in events {
            for case .stateChanged(.online(isResumed: false)) in batch { return }
        }
    }
}
