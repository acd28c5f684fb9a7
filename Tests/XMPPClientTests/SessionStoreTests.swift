import Synchronization
import Testing
import TransportLayer
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

@Suite("A session across processes", .timeLimit(.minutes(20)))
struct SessionStoreTests {
    static let count = 5
    static let wanted = (0..<count).map { "a\($0)" }
    static let answers = (0..<count).map { "b\($0)" }

    /// Answers each message of alice with one, whoever of her processes it came from.
    private func answer(_ server: MemoryServer) -> Task<Void, Never> {
        Task {
            var number = 0
            while !Task.isCancelled {
                await server.next("message")
                let answer = "<message from='bob@xmpp.test' id='b\(number)'/>"
                while !Task.isCancelled, (try? await server.send(answer, to: "alice")) == false {
                    await server.wait { $0.isOnline("alice") }
                }
                number += 1
            }
        }
    }

    /// One process: sends what was not entrusted to the disk before, and lives until all is well or its time is over.
    private func process(_ server: MemoryServer, _ disk: Disk, _ lifetime: Lifetime) async throws {
        var configuration = try server.account("alice", resource: "desk") { $0.reconnection = .never }
        configuration.live(lifetime, on: disk)
        do {
            try await Client(configuration).run { session in
                let events = session.events(.all)
                let done = Set(disk.content.sent + disk.content.acknowledged)
                for id in Self.wanted where !done.contains(id) {
                    try await session.send(Message(to: try JID("bob@xmpp.test"), id: id, body: id))
                    // Not all at once, so that there are more steps to die between.
                    await Task.yield()
                }
                let isComplete = {
                    disk.content.received.count >= Self.count
                        && Set(Self.wanted).isSubset(of: disk.content.acknowledged)
                }
                if isComplete() { return }
                for await _ in events where isComplete() { return }
            }
        } catch {
            guard lifetime.isOver else { throw error }
        }
        await server.wait { !$0.isOnline("alice") }
    }

    @Test("processes that die between any two steps: every message exactly once, in order, both ways")
    func deaths() async throws {
        let whole = Lifetime()
        try await lives([whole])
        let steps = whole.used.withLock(\.self)
        #expect(steps > 20)
        for step in 1..<steps { try await lives([Lifetime(steps: step), Lifetime()]) }
        // Several deaths in a row.
        for step in stride(from: 3, to: steps, by: 7) {
            try await lives([
                Lifetime(steps: step), Lifetime(steps: 5 + step / 2), Lifetime(steps: 9 + step % 11), Lifetime(),
            ])
        }
    }

    private func lives(_ lifetimes: [Lifetime]) async throws {
        let server = MemoryServer()
        let disk = Disk()
        let answering = answer(server)
        for lifetime in lifetimes { try await process(server, disk, lifetime) }
        let sent = await server.received.filter { $0.name.local == "message" }.compactMap { $0["id"] }
        #expect(sent == Self.wanted)
        #expect(disk.content.received == Self.answers)
        #expect(disk.content.acknowledged == Self.wanted)
        #expect(disk.content.unacknowledged == [])
        #expect(disk.content.resumption == nil)
        answering.cancel()
        await answering.value
    }

    @Test("a store that cannot store ends the session: nothing is written, confirmed or told", arguments: [0, 1, 2])
    func failingStore(commits: Int) async throws {
        struct Full: Error {}
        struct Limited: SessionStore {
            let disk: Disk
            let limit: Int
            func loadSession() async throws -> SavedSession? { nil }
            func commit(_ change: SessionChange) async throws {
                guard disk.content.commits < limit else { throw Full() }
                disk.apply(change)
            }
        }
        let server = MemoryServer()
        let disk = Disk()
        var configuration = try server.account("alice")
        configuration.store = Limited(disk: disk, limit: commits)
        let error = await #expect(throws: ClientError.self) {
            try await Client(configuration).run(from: .connecting) { session in
                let events = session.events(.messages)
                try? await session.waitUntilOnline()
                guard (try? await session.send(Message(to: try JID("bob@xmpp.test"), id: "m", body: "x"))) != nil,
                    commits == 2
                else {
                    #expect(await events.message() == nil)
                    return
                }
                await server.next("message")
                try await server.send("<message from='bob@xmpp.test' id='b'/>", to: "alice")
                #expect(await events.message() == nil)
            }
        }
        #expect(error?.code == .storeFailed)
        #expect(error?.cause is Full)
        await server.wait { !$0.isOnline("alice") }
        #expect(await server.ends.contains(.closed) == false)
        #expect(await server.suspendedCount == 1)
        #expect(disk.content.received == [])
        if commits < 2 { #expect(await server.received.filter { $0["id"] == "m" }.isEmpty) }
    }

    @Test("a session without stream management leaves nothing that could be resumed, also where an earlier one did")
    func unmanagedAfterManaged() async throws {
        let server = MemoryServer { $0.offered = NegotiationPlan([.startTLS, .sasl, .binding]) }
        let disk = Disk()
        disk.apply(
            SessionChange(
                received: [], acknowledged: [], unacknowledged: [],
                resumption: ResumptionState(
                    id: "old", address: try JID("alice@xmpp.test/desk"), handledCount: 3, acknowledgedCount: 2,
                    unacknowledged: [])))
        var configuration = try server.account("alice")
        configuration.store = MortalStore(disk: disk, lifetime: Lifetime())
        try await Client(configuration).run { session in
            let events = session.events(.messages)
            try await server.send("<message from='bob@xmpp.test' id='b'/>", to: "alice")
            #expect(await events.message()?.id == "b")
            #expect(disk.content.received == ["b"])
            #expect(disk.content.resumption == nil)
        }
    }

    @Test("an answer leaves only when it is stored, though it was stored for another reason")
    func slowStore() async throws {
        /// Waits with the first step that holds an own answer until it is let go.
        struct Slow: SessionStore {
            let isStoring: Gate
            let mayStore: Gate
            func loadSession() async throws -> SavedSession? { nil }
            func commit(_ change: SessionChange) async throws {
                let own = change.resumption?.unacknowledged.compactMap { try? $0.element() } ?? []
                guard own.contains(where: { $0["id"] == "question" }) else { return }
                isStoring.open()
                await mayStore.wait()
            }
        }
        let server = MemoryServer()
        let store = Slow(isStoring: Gate(), mayStore: Gate())
        var configuration = try server.account("alice")
        configuration.store = store
        try await Client(configuration).run { session in
            // The answer is made while the reader handles its input, and the reader stores it before the writer looks.
            try await server.send(
                "<iq type='get' id='question' from='bob@xmpp.test'><ask xmlns='x'/></iq>", to: "alice")
            await store.isStoring.wait()
            for _ in 0..<1000 {
                _ = await session.isOnline
                await Task.yield()
            }
            #expect(await server.received.filter { $0["id"] == "question" }.isEmpty)
            store.mayStore.open()
            await server.next { $0["id"] == "question" }
        }
    }

    @Test("a store that cannot be read is told before anything is sent")
    func unreadableStore() async throws {
        struct Broken: SessionStore {
            func loadSession() async throws -> SavedSession? { throw StanzaError(.internalServerError) }
            func commit(_ change: SessionChange) async throws {}
        }
        let server = MemoryServer()
        var configuration = try server.account("alice")
        configuration.store = Broken()
        let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
        #expect(error?.code == .storeFailed)
        #expect(await server.connections == 0)
    }

    @Test(
        "what a lost session leaves is offered, less what the server had handled (failed h)", arguments: [true, false])
    func lostSession(hasArrived: Bool) async throws {
        let server = MemoryServer()
        let disk = Disk()
        let first = Lifetime()
        var configuration = try server.account("alice", resource: "desk") { $0.reconnection = .never }
        configuration.live(first, on: disk)
        try? await Client(configuration).run { session in
            let token = try await session.send(Message(to: try JID("bob@xmpp.test"), id: "m1", body: "1"))
            try await token.reached(.acknowledged)
            if hasArrived { await server.mute("alice") } else { await server.freeze("alice") }
            let second = try await session.send(Message(to: try JID("bob@xmpp.test"), id: "m2", body: "2"))
            try await second.reached(.written)
            if hasArrived { await server.next { $0["id"] == "m2" } }
            first.end()
            await server.abandon("alice")
            _ = await session.events(.connection).first { _ in nil as Bool? }
        }
        #expect(disk.content.sent == ["m1", "m2"])
        await server.wait { $0.suspendedCount > 0 }
        await server.expireSuspended()
        var next = try server.account("alice", resource: "desk")
        next.live(Lifetime(), on: disk)
        try await Client(next).run(from: .connecting) { session in
            let events = session.events(.sending)
            try await session.waitUntilOnline()
            let isFailed = await events.first { event -> Bool? in
                switch event {
                case .sendingFailed(let token, let error):
                    token.id == "m2" && error.code == .unacknowledged ? true : nil
                case .acknowledged(let token): token.id == "m2" ? false : nil
                default: nil
                }
            }
            #expect(isFailed == !hasArrived)
            #expect(await session.agreement?.unacknowledged.count == (hasArrived ? 0 : 1))
        }
        #expect(disk.content.unacknowledged == (hasArrived ? [] : ["m2"]))
    }

    @Test("S3-23: a file store takes a bot over the death of its process")
    func file() async throws {
        let server = MemoryServer()
        let path = temporaryPath()
        defer { remove(path) }
        var configuration = try server.account("alice", resource: "desk") { $0.reconnection = .never }
        let first = try FileSessionStore(path: path, keeping: { $0.name.local == "message" })
        configuration.store = first
        await #expect(throws: ClientError.self) {
            try await Client(configuration).run { session in
                try await server.send("<message from='bob@xmpp.test' id='b0'><body>1</body></message>", to: "alice")
                for await received in first.inbox {
                    #expect(received.stanza["id"] == "b0")
                    break
                }
                await server.cut("alice")
                _ = await session.events(.connection).first { _ in nil as Bool? }
            }
        }
        await first.close()
        let store = try FileSessionStore(path: path, keeping: { $0.name.local == "message" })
        configuration.store = store
        try await Client(configuration).run { session in
            #expect(await session.agreement?.isResumed == true)
            try await server.send("<message from='bob@xmpp.test' id='b1'><body>2</body></message>", to: "alice")
            var ids: [String?] = []
            for await received in store.inbox {
                ids.append(received.stanza["id"])
                try await store.finish(received)
                if ids.count == 2 { break }
            }
            #expect(ids == ["b0", "b1"])
        }
        #expect(store.received.isEmpty)
        #expect(try await store.loadSession() == nil)
    }

    @Test(
        "the keeper of the session is asked first, and the usual place if it is not there",
        arguments: [
            ("b.xmpp.test", "b.xmpp.test", nil as UInt16?), ("b.xmpp.test:5223", "b.xmpp.test", 5223),
            ("192.0.2.1:9999", "192.0.2.1", 9999), ("[2001:db8::1]:9999", "2001:db8::1", 9999),
            ("[2001:db8::1]", "2001:db8::1", nil),
        ], [true, false])
    func location(hint: (String, host: String, port: UInt16?), isThere: Bool) async throws {
        let server = MemoryServer { $0.location = hint.0 }
        let places = Box<[String]>()
        let configuration = try server.account("alice", resource: "desk") { configuration in
            let connect = configuration.transports.connect
            configuration.transports = TransportFactory { target throws(TransportError) in
                places.value = (places.value ?? []) + ["\(target.host ?? "usual") \(target.port ?? 0)"]
                if target.host != nil, !isThere { throw TransportError(.connectionRefused, "Nobody is there.") }
                return try await connect(target)
            }
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await events.first { if case .stateChanged(.online(isResumed: true)) = $0 { true } else { nil } }
        }
        let keeper = "\(hint.host) \(hint.port ?? 0)"
        #expect(places.value == ["usual 0", keeper] + (isThere ? [] : ["usual 0"]))
    }
}
