import Testing
import TransportLayer
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// All states until the session ends, in order.
private func states(_ events: SessionEvents) async -> [ConnectionState] {
    var states: [ConnectionState] = []
    for await batch in events {
        for case .stateChanged(let state) in batch { states.append(state) }
    }
    return states
}

extension ConnectionState {
    fileprivate var words: String {
        switch self {
        case .offline(let reason, let next):
            "offline" + (reason == nil ? "" : ", why") + (next == nil ? "" : ", next")
        case .connecting(let step): "\(step)"
        case .online(let isResumed): isResumed ? "resumed" : "online"
        }
    }
}

@Suite("The state of the connection", .timeLimit(.minutes(20)))
struct ConnectionStateTests {
    @Test("S2-1: one state describes a login, a loss and the end")
    func steps() async throws {
        let server = MemoryServer()
        let seen = try await Client(try server.account("alice", resource: "desk")).run(from: .connecting) { session in
            let events = session.events(.connection)
            let every = session.events(.connection)
            let all = Task { await states(every) }
            try await session.waitUntilOnline()
            #expect(await session.connectionState == .online(isResumed: false))
            await server.cut("alice")
            _ = await events.first { if case .stateChanged(.online(isResumed: true)) = $0 { true } else { nil } }
            await session.close()
            #expect(await session.connectionState == .offline(reason: nil, nextAttempt: nil))
            return await all.value.map(\.words)
        }
        let first = ["connecting", "securing", "authenticating", "binding", "online"]
        let second = [
            "offline, why, next", "connecting", "securing", "authenticating", "resuming", "resumed", "offline",
        ]
        #expect(seen == first + second)
    }

    @Test("a first login without a reachable server ends offline, with the reason")
    func nobody() async throws {
        var configuration = try MemoryServer().account("alice")
        configuration.transports = TransportFactory { _ throws(TransportError) in
            throw TransportError(.connectionRefused, "Down.")
        }
        let seen = Box<[ConnectionState]>()
        await #expect(throws: ClientError.self) {
            try await Client(configuration).run(from: .connecting) { session in
                let events = session.events(.connection)
                session.connect()
                seen.value = await states(events)
            }
        }
        #expect(seen.value?.last?.words == "offline, why")
    }

    @Test("a first login without a reachable server is retried if the policy says so")
    func patientFirstLogin() async throws {
        let server = MemoryServer()
        let attempts = Box<Int>()
        let configuration = try server.account("alice") { configuration in
            let connect = configuration.transports.connect
            configuration.reconnection.retriesFirstLogin = true
            configuration.transports = TransportFactory { target throws(TransportError) in
                attempts.value = (attempts.value ?? 0) + 1
                if attempts.value ?? 0 < 3 { throw TransportError(.unreachable, "No network yet.") }
                return try await connect(target)
            }
        }
        try await Client(configuration).run { session in
            _ = try await session.request(Ping())
        }
        #expect(attempts.value == 3)
    }

    @Test("connecting now does not wait for the end of the pause")
    func reconnectNow() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") {
            $0.reconnection = ReconnectionPolicy(
                attempts: nil, backoff: Backoff(first: .seconds(3600), longest: .seconds(3600)))
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            await server.cut("alice")
            let next = await events.first {
                if case .stateChanged(.offline(_, let next)) = $0 { next } else { nil }
            }
            #expect((next ?? .zero) > .seconds(1000))
            await session.reconnectNow()
            _ = await events.first { if case .stateChanged(.online) = $0 { true } else { nil } }
            _ = try await session.request(Ping())
        }
        #expect(await server.connections == 2)
    }

    @Test("a probe reports whether the connection is alive; a dead one is replaced immediately")
    func probe() async throws {
        let server = MemoryServer()
        let manual = ManualClock()
        let configuration = try server.account("alice") {
            $0.clock = manual.clock
            $0.reconnection = ReconnectionPolicy(attempts: nil, backoff: Backoff(first: .seconds(3600)))
            // The clock runs fast while the connection is replaced.
            $0.loginTimeout = .seconds(3600)
        }
        try await Client(configuration).run { session in
            #expect(try await session.probe())
            let events = session.events(.connection)
            await server.freeze("alice")
            await session.reconnectNow()
            let start = manual.clock.now()
            let isAlive = try await manual.run(.milliseconds(100)) {
                let isAlive = try await session.probe()
                _ = await events.first { if case .stateChanged(.online) = $0 { true } else { nil } }
                return isAlive
            }
            #expect(!isAlive)
            #expect(start.duration(to: manual.clock.now()) < .seconds(3600))
            #expect(try await session.probe())
        }
        #expect(await server.connections == 2)
    }

    @Test("whatever happens to the connection, the order of states is valid", arguments: [1, 2, 3, 4])
    func consistent(seed: UInt64) async throws {
        let server = MemoryServer()
        let isDown = Box<Bool>()
        let configuration = try server.account("alice") { configuration in
            let connect = configuration.transports.connect
            configuration.reconnection = ReconnectionPolicy(
                attempts: nil, backoff: Backoff(first: .milliseconds(1), longest: .milliseconds(2)))
            configuration.transports = TransportFactory { target throws(TransportError) in
                if isDown.value == true { throw TransportError(.connectionRefused, "Down.") }
                return try await connect(target)
            }
        }
        let seen = try await Client(configuration).run(from: .connecting) { session in
            let every = session.events(.connection)
            let all = Task { await states(every) }
            try await session.waitUntilOnline()
            var random = seed
            for _ in 0..<40 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                switch (random >> 33) % 7 {
                case 0, 1: await server.cut("alice")
                case 2: await server.close("alice")
                case 3: await server.close("alice", StreamError(.systemShutdown))
                case 4: await session.reconnectNow()
                case 5: isDown.value = !(isDown.value ?? false)
                default:
                    isDown.value = false
                    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
                    while await !session.isOnline, ContinuousClock.now < deadline { await session.reconnectNow() }
                }
            }
            await session.close()
            return await all.value
        }
        for (one, next) in zip(seen, seen.dropFirst()) {
            #expect(one != next)
            switch (one, next) {
            case (.offline, .offline), (.offline, .connecting(.connecting)), (.connecting, .online),
                (.connecting, .offline), (.online, .offline):
                break
            case (.connecting(let step), .connecting(let later)): #expect(step < later)
            default: Issue.record("\(one.words) then \(next.words)")
            }
        }
        #expect(seen.last == .offline(reason: nil, nextAttempt: nil))
    }
}
