import HongyanTesting
import Testing
import TransportLayer
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// An extension that notes what happens to it.
private actor Notebook: SessionExtension {
    nonisolated let features = ["urn:example:notebook"]
    nonisolated var handlers: [IQHandler] {
        [IQHandler(Question.self, audience: .everybody) { question, _ in question }]
    }
    private(set) var notes: [String] = []
    private let onStart: @Sendable (Session) async throws -> Void
    private let ended: Gate

    init(ended: Gate = Gate(), onStart: @escaping @Sendable (Session) async throws -> Void = { _ in }) {
        self.ended = ended
        self.onStart = onStart
    }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        notes.append(isResumed ? "resumed" : "started")
        try await onStart(session)
    }

    func run(in session: Session) async {
        notes.append("running")
        await Gate().wait()
        notes.append("cancelled")
    }

    func sessionEnded(_ session: Session) async {
        notes.append("ended")
        ended.open()
    }
}

@Suite("The life of a session", .timeLimit(.minutes(20)))
struct LifeTests {
    @Test("W-19: the end is polite: unavailable presence, then the closing tag")
    func politeEnd() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { try await $0.send(Presence()) }
        let last = await server.received.last
        #expect(last?.name.local == "presence" && last?["type"] == "unavailable")
        #expect(await server.ends == [.closed])
    }

    @Test("cancelling the task closes politely, too")
    func cancellation() async throws {
        let server = MemoryServer()
        let client = Client(try server.account("alice"))
        let task = Task {
            try await client.run { session in
                try await session.send(Presence())
                for await _ in session.events() {}
                try Task.checkCancellation()
            }
        }
        await server.next("presence")
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(await server.received.last?["type"] == "unavailable")
        #expect(await server.ends == [.closed])
    }

    @Test("cancelling during the connecting ends it at once")
    func cancelConnecting() async throws {
        let server = MemoryServer()
        let began = Gate()
        let configuration = try server.account("alice") {
            $0.transports = TransportFactory { _ throws(TransportError) in
                began.open()
                await Gate().wait()
                throw TransportError(.cancelled, "Cancelled.")
            }
        }
        let task = Task { try await Client(configuration).run { _ in } }
        await began.wait()
        task.cancel()
        let result = await task.result
        #expect(throws: ClientError.self) { try result.get() }
    }

    @Test("what the body returns or throws comes out of run, and the stream is closed first")
    func results() async throws {
        struct Mine: Error {}
        let server = MemoryServer()
        let client = Client(try server.account("alice"))
        #expect(try await client.run { _ in 42 } == 42)
        await #expect(throws: Mine.self) { try await client.run { _ in throw Mine() } }
        #expect(await server.ends == [.closed, .closed])
        await server.wait { !$0.isOnline("alice") }
    }

    @Test(
        "S0-62, S0-63, S1-10, S3-6, S3-27, S3-28, Martin #1: an extension lives with its session, is found by its type and announces what it handles"
    )
    func extensions() async throws {
        let server = MemoryServer()
        let ended = Gate()
        var configuration = try server.account("alice")
        configuration.add { _ in Notebook(ended: ended) }
        let notebook = try await Client(configuration).run { session in
            let notebook = try #require(session[Notebook.self])
            #expect(await notebook.notes.contains("started"))
            #expect(await session.features == ["urn:example:notebook", "urn:example:question"])
            try await server.send(
                "<iq type='get' id='q' from='bob@xmpp.test/x'><question xmlns='urn:example:question'/></iq>",
                to: "alice")
            #expect(await server.next { $0["id"] == "q" }["type"] == "result")
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
            _ = try await session.request(Ping())
            // The program goes on while the extensions are told of a resumption.
            while await !notebook.notes.contains("resumed") { await Task.yield() }
            return notebook
        }
        #expect(ended.isOpen)
        let notes = await notebook.notes
        #expect(Set(notes) == ["started", "running", "resumed", "cancelled", "ended"])
        #expect(notes.last == "ended")
    }

    @Test("an extension may ask the server at the start; one that fails is reported and stops nothing")
    func failingExtension() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        configuration.add { _ in
            Notebook { session in
                _ = try await session.request(Ping())
                throw StanzaError(.internalServerError)
            }
        }
        let failed = try await Client(configuration).run(from: .connecting) { session in
            let events = session.events(.connection)
            try await session.waitUntilOnline()
            return await events.first { if case .connection(.extensionFailed(let name, _)) = $0 { name } else { nil } }
        }
        #expect(failed == "Notebook")
    }

    @Test("a start that a lost connection broke off is made up for after the resumption")
    func brokenStart() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        let second = Box<[Bool]>()
        struct Second: SessionExtension {
            let notes: Box<[Bool]>
            var startsAfter: [any SessionExtension.Type] { [Notebook.self] }
            func sessionStarted(_ session: Session, isResumed: Bool) async throws {
                notes.value = (notes.value ?? []) + [isResumed]
            }
        }
        var configuration = try server.account("alice")
        configuration.add { _ in Notebook { session in _ = try await session.request(Question("x")) } }
        configuration.add { _ in Second(notes: second) }
        try await Client(configuration).run(from: .connecting) { session in
            let events = session.events(.connection)
            session.connect()
            let first = await server.next("iq")["id"] ?? ""
            await server.cut("alice")
            var times = 0
            _ = await events.first { event -> Bool? in
                if case .connection(.online) = event { times += 1 }
                return times == 2 ? true : nil
            }
            let again = await server.next("iq")["id"] ?? ""
            for id in [first, again] {
                try await server.send(
                    "<iq type='result' id='\(id)'><question xmlns='urn:example:question'/></iq>", to: "alice")
            }
            try await session.waitUntilOnline()
            #expect(second.value == [false])
        }
    }

    /// Asks a question when the session begins and reports what became of it.
    private struct Asking<Mark>: SessionExtension {
        var before: [any SessionExtension.Type] = []
        var startsAfter: [any SessionExtension.Type] { before }
        var onStart: @Sendable (Session, Bool) async throws -> Void
        func sessionStarted(_ session: Session, isResumed: Bool) async throws { try await onStart(session, isResumed) }
    }

    private enum First {}
    private enum Second {}
    private enum Third {}

    @Test(
        "extensions start side by side: an answer that never comes delays only those that start after it, and the program a while"
    )
    func sideBySide() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        let clock = VirtualClock()
        let (free, bound) = (Gate(), Gate())
        var configuration = try server.account("alice") { clock.drive(&$0) }
        configuration.requestTimeout = .seconds(600)
        configuration.add { _ in Asking<First> { session, _ in _ = try await session.request(Question("x")) } }
        configuration.add { _ in Asking<Second>(before: [Asking<First>.self]) { _, _ in bound.open() } }
        configuration.add { _ in Asking<Third> { _, _ in free.open() } }
        try await Client(configuration).run(from: .connecting) { session in
            session.connect()
            await free.wait()
            await server.next("iq")
            #expect(!bound.isOpen)
            // The program's part begins all the same.
            try await clock.run { try await session.waitUntilOnline() }
            #expect(!bound.isOpen)
        }
    }

    @Test("an extension starts when the one before it lets it: its request is then on its way behind that one's")
    func releasedFollower() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        var configuration = try server.account("alice")
        configuration.add { _ in
            Asking<Second>(before: [Asking<First>.self]) { session, _ in
                _ = try await session.send(Presence())
            }
        }
        configuration.add { _ in
            Asking<First> { session, _ in
                _ = try await session.request(Question("x"), whenQueued: { session.releaseFollowers() })
            }
        }
        try await Client(configuration).run(from: .connecting) { session in
            session.connect()
            await server.next("presence")
            #expect(await server.received.map(\.name.local) == ["iq", "presence"])
        }
    }

    @Test(
        "a start that hangs is cancelled when another connection is there, and begins again; what had started is only told"
    )
    func cancelledStart() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        let (hung, told) = (Box<[Bool]>(), Box<[Bool]>())
        let (isTold, isCancelled, hasStarted) = (Gate(), Gate(), Gate())
        var configuration = try server.account("alice")
        configuration.add { _ in
            Asking<First> { session, isResumed in
                hung.value = (hung.value ?? []) + [isResumed]
                do { _ = try await session.request(Question("x")) } catch { isCancelled.open() }
            }
        }
        configuration.add { _ in
            Asking<Second> { _, isResumed in
                told.value = (told.value ?? []) + [isResumed]
                if isResumed { isTold.open() }
            }
        }
        // It starts as soon as the session knows that the second one has started.
        configuration.add { _ in Asking<Third>(before: [Asking<Second>.self]) { _, _ in hasStarted.open() } }
        try await Client(configuration).run(from: .connecting) { session in
            session.connect()
            await server.next("iq")
            await hasStarted.wait()
            await server.cut("alice")
            await server.next("iq")
            await isTold.wait()
            #expect(isCancelled.isOpen)
            #expect(hung.value == [false, false])
            #expect(told.value == [false, true])
        }
    }

    @Test("extensions that wait for each other are a configuration error")
    func cycle() async throws {
        var configuration = try MemoryServer().account("alice")
        configuration.add { _ in Asking<First>(before: [Asking<Second>.self]) { _, _ in } }
        configuration.add { _ in Asking<Second>(before: [Asking<First>.self]) { _, _ in } }
        let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("a closure that begins before connecting finds the extensions, and misses no event however late it observes")
    func beforeConnecting() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        configuration.add { _ in Notebook() }
        try await Client(configuration).run(from: .connecting) { session in
            #expect(session[Notebook.self] != nil)
            for _ in 0..<1_000 { await Task.yield() }
            #expect(await server.received.isEmpty)
            let events = session.events(.connection)
            session.connect()
            var first: SessionEvent?
            for await batch in events {
                first = batch.first
                break
            }
            guard case .connection(.willConnect) = first else {
                Issue.record("The first event is \(String(describing: first)).")
                return
            }
        }
    }

    @Test("a session that is closed before it may connect does not connect")
    func neverConnected() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        let connect = configuration.transports.connect
        let connections = Box<Int>()
        configuration.transports = TransportFactory { target throws(TransportError) in
            connections.value = (connections.value ?? 0) + 1
            return try await connect(target)
        }
        try await Client(configuration).run(from: .connecting) { session in
            #expect(await !session.isOnline)
        }
        #expect(connections.value == nil)
    }

    @Test("two owners of the same requests are a configuration error")
    func twoOwners() async throws {
        struct Second: SessionExtension {
            var handlers: [IQHandler] { [IQHandler(Question.self) { question, _ in question }] }
        }
        var configuration = try MemoryServer().account("alice")
        configuration.add { _ in Notebook() }
        configuration.add { _ in Second() }
        let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
        #expect(error?.code == .handlerExists)
    }

    @Test("W-1: nothing of a session is left when run has returned")
    func leaks() async throws {
        let server = MemoryServer()
        for _ in 0..<30 {
            var configuration = try server.account("alice")
            configuration.add { session in
                Notebook { [session] _ in _ = session }
            }
            weak var left: Session?
            weak var extensionLeft: Notebook?
            try await Client(configuration).run { session in
                left = session
                extensionLeft = session[Notebook.self]
                let token = try await session.send(Presence())
                _ = try await session.request(Ping())
                _ = token
            }
            // The turn of the event loop that has ended the session may still be in progress on its thread.
            while left != nil || extensionLeft != nil { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test("an error has a code, a sentence, a cause and an exit class")
    func errors() {
        let refused = ClientError(refused: StanzaError(.forbidden, text: "No."))
        #expect(refused.exitClass == .failed && refused.description.contains("No."))
        #expect(ClientError.notConnected.exitClass == .connection)
        #expect(ClientError(.invalidConfiguration, "x").exitClass.rawValue == 2)
        #expect(ClientError(.authenticationFailed, "x").exitClass.rawValue == 3)
    }
}
