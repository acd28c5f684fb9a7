import Hongyan
import HongyanTesting
import Testing

// Documentation/BotTests.md and the page of HongyanTesting show the tests of this file.

/// The bot under test: what a program of its own would have.
func echo(_ configuration: ClientConfiguration) async throws {
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

@Test("the bot repeats what it is told", .timeLimit(.minutes(1)))
func repeats() async throws {
    let server = MemoryServer(users: ["bot"])
    let alice = try await server.peer("alice")
    let bot = Task { try await echo(server.account("bot")) }
    await server.next("presence")
    await alice.send(.chat(to: try JID("bot@xmpp.test"), body: "Honk! 嘎！"))
    #expect(await alice.message()?.body == "Honk! 嘎！")
    bot.cancel()
}

@Test("the bot replies after the server was down for an hour", .timeLimit(.minutes(1)))
func outage() async throws {
    let server = MemoryServer(users: ["bot"])
    let alice = try await server.peer("alice")
    let clock = VirtualClock()
    let configuration = try server.account("bot") {
        $0.reconnection.attempts = nil
        clock.drive(&$0)
    }
    let bot = Task { try await echo(configuration) }
    await server.next("presence")
    await server.kill()
    clock.advance(by: .seconds(3600))
    await server.restart()
    try await clock.run(.milliseconds(10)) { await server.next("presence") }
    await alice.send(.chat(to: try JID("bot@xmpp.test"), body: "Still there?"))
    #expect(await alice.message()?.body == "Still there?")
    bot.cancel()
}
