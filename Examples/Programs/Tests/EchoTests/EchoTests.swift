import EchoBot
import Hongyan
import HongyanTesting
import Testing

@Suite("The echo bot, without a server", .timeLimit(.minutes(1)))
struct EchoTests {
    @Test("it says back what it is told, after an outage of the server, too")
    func outage() async throws {
        let server = MemoryServer(users: ["bot"])
        let alice = try await server.peer("alice")
        let clock = VirtualClock()
        let configuration = try server.account("bot") {
            $0.reconnection.attempts = nil
            clock.drive(&$0)
        }
        let bot = Task { try await Client(configuration).run(echo) }
        await server.next("presence")
        await alice.send(.chat(to: try JID("bot@xmpp.test"), body: "Honk! 嘎！"))
        #expect(await alice.message()?.body == "Honk! 嘎！")
        await server.kill()
        clock.advance(by: .seconds(3600))
        await server.restart()
        try await clock.run(.milliseconds(10)) { await server.next("presence") }
        await alice.send(.chat(to: try JID("bot@xmpp.test"), body: "Still there?"))
        #expect(await alice.message()?.body == "Still there?")
        bot.cancel()
    }
}
