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

    @Test(
        "what arrives late and in slices of one byte is read like the whole",
        .disabled("hung; the repair of its clock was not run yet"))
    func slices() async throws {
        let clock = VirtualClock()
        let line = LineFaults(clock: clock)
        line.slice(1)
        line.delay(.milliseconds(300))
        let started = clock.now
        // The clock runs faster than the machine that computes the login.
        try await run(line, clock, loginTimeout: .seconds(1_000_000)) { alice in
            await alice.send(.chat(to: bot, body: "嘎"))
            let reply = try await clock.run(.milliseconds(50)) { await alice.message()?.body }
            #expect(reply == "嘎")
        }
        #expect(clock.now - started >= .milliseconds(600))
        #expect(await server.connections == 1)
    }

    @Test(
        "wherever the line is cut, each message is answered once and in order",
        .disabled("hung; the repair of LineFaults was not run yet"),
        arguments: [LineFaults.Direction.sent, .received, .both])
    func cuts(direction: LineFaults.Direction) async throws {
        for count in stride(from: 0, to: 300, by: 23) {
            let line = LineFaults()
            try await run(line) { alice in
                line.cut(after: count, direction)
                for number in 1...4 { await alice.send(.chat(to: bot, body: "\(count).\(number)")) }
                for number in 1...4 {
                    #expect(await alice.message()?.body == "\(count).\(number)", "cut after \(count) bytes")
                }
            }
        }
    }

    @Test("a bot whose bytes are lost notices it by the clock, and comes back when they are not")
    func loss() async throws {
        let clock = VirtualClock()
        let line = LineFaults(clock: clock)
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

    @Test(
        "bytes that pass twice do not stop the bot",
        arguments: [LineFaults.Direction.sent, .received])
    func duplicates(direction: LineFaults.Direction) async throws {
        let line = LineFaults()
        try await run(line) { alice in
            line.duplicateNext(direction)
            await alice.send(.chat(to: bot, body: "twice"))
            #expect(await alice.message()?.body == "twice")
            // The count of the other end is wrong now, so one of them ends the stream.
            line.cut()
            await server.wait { $0.connections > 1 && $0.isOnline("bot") }
            await alice.send(.chat(to: bot, body: "once"))
            while let body = await alice.message()?.body, body != "once" { #expect(body == "twice") }
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
