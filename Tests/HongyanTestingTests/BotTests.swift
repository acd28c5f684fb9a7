import Hongyan
import HongyanTesting
import Testing

/// The bot under test: what a program of its own would have.
private func echo(_ configuration: ClientConfiguration) async throws {
    try await Client(configuration).run { session in
        let events = session.events(.messages)
        try await session.send(Presence())
        for await batch in events {
            for case .message(let message) in batch where message.isChatMessageWithBody {
                guard let sender = message.from, let body = message.body else { continue }
                try await session.send(.chat(to: sender, body: body))
            }
        }
    }
}

@Suite("Unit tests of bots", .timeLimit(.minutes(5)))
struct BotTests {
    @Test("the test of a bot has ten lines and needs no network")
    func echoes() async throws {
        let server = MemoryServer(users: ["bot"])
        let alice = try await server.peer("alice")
        let bot = Task { try await echo(server.account("bot")) }
        await server.next("presence")
        await alice.send(.chat(to: try JID("bot@xmpp.test"), body: "Honk! 嘎！"))
        let answer = await alice.message()
        #expect(answer?.body == "Honk! 嘎！")
        #expect(answer?.from?.bare == (try JID("bot@xmpp.test")))
        bot.cancel()
        _ = await bot.result
    }

    @Test("a bot goes on after its connection was cut, and what was sent meanwhile arrives")
    func cut() async throws {
        let server = MemoryServer(users: ["bot"])
        let alice = try await server.peer("alice")
        let bot = Task { try await echo(server.account("bot")) }
        await server.next("presence")
        await server.cut("bot")
        await server.wait { $0.isOnline("bot") && $0.connections == 2 }
        await alice.send(.chat(to: try JID("bot@xmpp.test"), body: "Still there?"))
        #expect(await alice.message()?.body == "Still there?")
        bot.cancel()
        _ = await bot.result
    }

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
}
