import Hongyan
import HongyanTesting
import Testing

@Suite("Faults of the line", .timeLimit(.minutes(5)))
struct LineFaultTests {
    private let server = MemoryServer(users: ["bot"])
    private let bot: JID

    init() throws { bot = try JID("bot@xmpp.test") }

    /// Lets the bot run behind the line until the work is done.
    private func run(
        _ line: LineFaults, _ clock: VirtualClock? = nil, loginTimeout: Duration = .seconds(120),
        _ work: (ScriptedPeer) async throws -> Void
    ) async throws {
        let alice = try await server.peer("alice")
        let configuration = try server.account("bot") {
            $0.reconnection.attempts = nil
            $0.loginTimeout = loginTimeout
            clock?.drive(&$0)
            line.apply(to: &$0)
        }
        let task = Task { try await echo(configuration) }
        if let clock {
            try await clock.run(.milliseconds(50)) { [server] in _ = await server.next("presence") }
        } else {
            await server.next("presence")
        }
        try await work(alice)
        task.cancel()
        _ = await task.result
    }

    @Test("a bot whose bytes are lost notices it by the clock, and comes back when they are not")
    func loss() async throws {
        let clock = VirtualClock()
        let line = LineFaults()
        try await run(line, clock) { alice in
            line.lose(.both)
            try await clock.run(.seconds(5)) { [server] in await server.wait { $0.connections == 2 } }
            await server.abandon("bot")
            line.lose([])
            try await clock.run(.seconds(5)) { [server] in await server.wait { $0.isOnline("bot") } }
            await alice.send(.chat(to: bot, body: "again"))
            let reply = try await clock.run { await alice.message()?.body }
            #expect(reply == "again")
        }
    }

    @Test("without a route the bot tries again until there is one")
    func refusal() async throws {
        let line = LineFaults()
        try await run(line) { alice in
            line.refuse()
            line.cut()
            await server.wait { !$0.isOnline("bot") }
            #expect(await server.connections == 1)
            line.refuse(false)
            await alice.send(.chat(to: bot, body: "back"))
            #expect(await alice.message()?.body == "back")
        }
    }
}
