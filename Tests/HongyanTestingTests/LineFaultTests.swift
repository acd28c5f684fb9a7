import Hongyan
import HongyanTesting
import Testing

@Suite("Faults of the line", .timeLimit(.minutes(5)))
struct LineFaultTests {
    private let server = MemoryServer(users: ["bot"])
    private let bot: JID

    init() throws { bot = try JID("bot@xmpp.test") }

    @Test("a session whose bytes are lost notices it by the clock, and is resumed when they are not")
    func loss() async throws {
        let clock = VirtualClock()
        let line = LineFaults()
        let configuration = try server.account("bot") {
            // The next attempt is made when the test says so.
            $0.reconnection = ReconnectionPolicy(
                attempts: nil, backoff: Backoff(first: .seconds(1 << 30), longest: .seconds(1 << 30)))
            clock.drive(&$0)
            line.apply(to: &$0)
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            @Sendable func wait(where condition: @escaping @Sendable (ConnectionState) -> Bool) async
                -> ConnectionState?
            {
                for await batch in events {
                    for case .stateChanged(let state) in batch where condition(state) { return state }
                }
                return nil
            }
            line.lose(.both)
            _ = try await clock.run(.seconds(5)) { await wait { if case .offline = $0 { true } else { false } } }
            line.lose([])
            await session.reconnectNow()
            #expect(await wait(where: \.isOnline) == .online(isResumed: true))
        }
    }

    @Test("without a route the bot tries again until there is one")
    func refusal() async throws {
        let line = LineFaults()
        try await runWithoutTime(line) { server, alice in
            line.refuse()
            line.cut()
            await server.wait { !$0.isOnline("bot") }
            #expect(await server.connections == 1)
            line.refuse(false)
            await alice.send(.chat(to: bot, body: "back"))
            #expect(await alice.message()?.body == "back")
        }
    }

    // MARK: While time stands still

    /// Lets the bot run behind the line with a server of its own. The clock stands still and attempts follow each other at once: what
    /// only a timeout would notice never ends.
    private func runWithoutTime(
        _ line: LineFaults, readLimit: Int = .max, close: (Task<Void, any Error>) -> Void = { $0.cancel() },
        _ work: (MemoryServer, ScriptedPeer) async throws -> Void
    ) async throws {
        let server = MemoryServer(users: ["bot"], readLimit: readLimit)
        let alice = try await server.peer("alice")
        let configuration = try server.account("bot") {
            $0.reconnection = ReconnectionPolicy(attempts: nil, backoff: Backoff(first: .zero))
            $0.reconnection.retriesFirstLogin = true
            VirtualClock().drive(&$0)
            line.apply(to: &$0)
        }
        let task = Task { try await echo(configuration) }
        await server.next("presence")
        try await work(server, alice)
        close(task)
        _ = await task.result
    }

    @Test("what arrives in slices of one byte is read like the whole")
    func slices() async throws {
        try await runWithoutTime(LineFaults(), readLimit: 1) { server, alice in
            await alice.send(.chat(to: bot, body: "嘎"))
            #expect(await alice.message()?.body == "嘎")
            #expect(await server.connections == 1)
        }
    }

    @Test(
        "wherever the line breaks, each message is answered once and in order",
        arguments: [LineFaults.Direction.sent, .received, .both])
    func cuts(direction: LineFaults.Direction) async throws {
        for count in stride(from: 0, to: 300, by: 23) {
            let line = LineFaults()
            try await runWithoutTime(line) { _, alice in
                line.cut(after: count, direction)
                for number in 1...4 { await alice.send(.chat(to: bot, body: "\(count).\(number)")) }
                for number in 1...4 {
                    #expect(await alice.message()?.body == "\(count).\(number)", "cut after \(count) bytes")
                }
            }
        }
    }

    @Test("wherever the login breaks, the bot begins another one", arguments: [LineFaults.Direction.sent, .received])
    func loginCuts(direction: LineFaults.Direction) async throws {
        for count in stride(from: 0, to: 900, by: 97) {
            let line = LineFaults()
            line.cut(after: count, direction)
            try await runWithoutTime(line) { server, alice in
                await alice.send(.chat(to: bot, body: "\(count)"))
                #expect(await alice.message()?.body == "\(count)")
                #expect(await server.connections == 2, "cut after \(count) bytes")
            }
        }
    }

    @Test("wherever the end of the stream breaks, the bot ends", arguments: [LineFaults.Direction.sent, .received])
    func closingCuts(direction: LineFaults.Direction) async throws {
        for count in stride(from: 0, to: 150, by: 13) {
            let line = LineFaults()
            try await runWithoutTime(line) {
                line.cut(after: count, direction)
                $0.cancel()
            } _: { _, _ in
            }
        }
    }

    @Test(
        "a message that arrives twice spoils the counts, and the bot begins another session",
        arguments: [LineFaults.Direction.sent, .received])
    func duplicates(direction: LineFaults.Direction) async throws {
        let line = LineFaults()
        try await runWithoutTime(line) { server, alice in
            line.duplicate(direction, containing: "twice")
            await alice.send(.chat(to: bot, body: "twice"))
            await server.next("presence")
            await alice.send(.chat(to: bot, body: "once"))
            while let body = await alice.message()?.body, body != "once" { #expect(body == "twice") }
            #expect(await server.connections > 1)
        }
    }

    @Test(
        "bytes of a login that arrive twice end it with an error",
        arguments: ["<stream:features", "<challenge", "<proceed"])
    func duplicatesInLogin(text: String) async throws {
        let line = LineFaults()
        line.duplicate(.received, containing: text)
        let configuration = try server.account("bot") {
            VirtualClock().drive(&$0)
            line.apply(to: &$0)
        }
        await #expect(throws: ClientError.self) { try await echo(configuration) }
    }
}
