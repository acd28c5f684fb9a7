import HongyanTesting
import Synchronization
import Testing
import TransportLayer
import Waiting
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// Sessions over real sockets, on the event loop of their connection.
@Suite("Event loops", .timeLimit(.minutes(20)))
struct EventLoopTests {
    /// A server in memory behind a listening socket.
    private struct Host {
        let server: MemoryServer
        let listener: TCPListener

        init() async throws {
            let server = MemoryServer { $0.encryption = .none }
            let address = try #require(SocketAddress("127.0.0.1", port: 0))
            listener = try await TCPListener.listen(at: address)
            self.server = server
        }

        func run<Result>(_ body: () async throws -> Result) async throws -> Result {
            let accepting = Task { [server, listener] in
                while let socket = try? await listener.accept() { await server.accept(socket) }
            }
            defer { accepting.cancel() }
            let result = try await body()
            await listener.close()
            return result
        }

        func account(
            _ user: String, _ change: (inout ClientConfiguration) -> Void = { _ in }
        ) throws -> ClientConfiguration {
            try server.account(user) { configuration in
                let address = listener.address
                configuration.transports = TransportFactory { target throws(TransportError) in
                    try await SocketTransport.connect(to: address, loop: target.loop)
                }
                configuration.encryption = .plaintextAllowedForTestsOnly
                change(&configuration)
            }
        }
    }

    /// The bodies of the next messages.
    private func bodies(_ count: Int, of events: SessionEvents) async -> [String] {
        var bodies: [String] = []
        for await batch in events {
            for case .message(let message) in batch { bodies.append(message.body ?? "") }
            if bodies.count >= count { break }
        }
        return bodies
    }

    /// Records where it is called, and answers each message.
    private final class Echo: StanzaInterceptor {
        let places = Mutex<[Bool]>([])

        nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            guard case .message(let message) = stanza, let sender = message.from, let body = message.body else {
                return .pass(stanza)
            }
            places.withLock { $0.append(session.loop.isCurrent) }
            _ = try? await session.send(.chat(to: sender, body: body))
            places.withLock { $0.append(session.loop.isCurrent) }
            return .handled
        }
    }

    /// Has no promise about its executor.
    private final class Anywhere: StanzaInterceptor {
        let bodies = Mutex<[String?]>([])

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            if case .message(let message) = stanza { bodies.withLock { $0.append(message.body) } }
            return .pass(stanza)
        }
    }

    @Test("A read, the interceptors and the write that answers it are one turn on the loop of the connection")
    func oneTurn() async throws {
        let host = try await Host()
        let (echo, anywhere) = (Echo(), Anywhere())
        try await host.run {
            try await Client(try host.account("bob") { $0.interceptors = [anywhere, echo] }).run { bob in
                try await Client(try host.account("alice")).run { alice in
                    let inbox = alice.events(.messages)
                    let address = try #require(await bob.address)
                    for number in 0..<20 {
                        try await alice.send(.chat(to: address, body: "\(number)"))
                        #expect(await inbox.message()?.body == "\(number)")
                    }
                }
            }
        }
        #expect(echo.places.withLock { $0 } == Array(repeating: true, count: 40))
        #expect(anywhere.bodies.withLock { $0 } == (0..<20).map { "\($0)" })
    }

    /// Decides about all messages but some, for which it waits.
    private struct SometimesWaiting: StanzaInterceptor {
        func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
            guard case .message(let message) = stanza, message.body?.hasSuffix("3") == true else {
                return .pass(stanza)
            }
            return nil
        }

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            for _ in 0..<50 { await Task.yield() }
            guard case .message(var message) = stanza else { return .pass(stanza) }
            message.body = "waited \(message.body ?? "")"
            return .pass(.message(message))
        }
    }

    @Test(
        "An interceptor that waits for one stanza of a read delays the others of that read, and none is lost or overtaken"
    )
    func waitingInOneRead() async throws {
        let host = try await Host()
        let received: [String] = try await host.run {
            try await Client(try host.account("bob") { $0.interceptors = [SometimesWaiting()] }).run { bob in
                let inbox = bob.events(.messages)
                let address = try #require(await bob.address)
                return try await Client(try host.account("alice")).run { alice in
                    try await alice.send(contentsOf: (0..<100).map { .chat(to: address, body: "\($0)") })
                    return await bodies(100, of: inbox)
                }
            }
        }
        #expect(received == (0..<100).map { $0 % 10 == 3 ? "waited \($0)" : "\($0)" })
    }

    @Test("A task that prefers the executor of the session gets events and sends on its thread")
    func taskOnTheLoop() async throws {
        /// Whether the code after a call, and in it, runs on the thread of the session.
        @concurrent func isOnLoop(_ session: Session) async -> Bool {
            await Task.yield()
            return session.loop.isCurrent
        }
        let host = try await Host()
        try await host.run {
            try await Client(try host.account("bob")).run { bob in
                let address = try #require(await bob.address)
                let echo = Task(executorPreference: bob.taskExecutor) {
                    for await batch in bob.events(.messages) {
                        for case .message(let message) in batch {
                            #expect(bob.loop.isCurrent)
                            guard let sender = message.from, let body = message.body else { continue }
                            try await bob.send(.chat(to: sender, body: body))
                            #expect(bob.loop.isCurrent)
                        }
                    }
                }
                try await Client(try host.account("alice")).run { alice in
                    let inbox = alice.events(.messages)
                    try await alice.send(contentsOf: (0..<300).map { .chat(to: address, body: "\($0)") })
                    #expect(await bodies(300, of: inbox) == (0..<300).map { "\($0)" })
                }
                #expect(
                    await withTaskExecutorPreference(bob.taskExecutor) { await isOnLoop(bob) && bob.loop.isCurrent })
                #expect(await !isOnLoop(bob))
                echo.cancel()
                try await echo.value
            }
        }
    }

    @Test("Sessions are distributed among the loops, or run on the one that was chosen")
    func distribution() async throws {
        let loop = EventLoop()
        let server = MemoryServer()
        let chosen = try server.account("alice") { $0.eventLoop = loop }
        #expect(Session(configuration: chosen, purpose: .login).loop === loop)
        let configuration = try server.account("alice")
        let loops = (0..<64).map { _ in ObjectIdentifier(Session(configuration: configuration, purpose: .login).loop) }
        #expect(Set(loops).count <= 64 && loops.contains(ObjectIdentifier(EventLoop.shared)))
    }

    @Test("What many tasks send arrives once, and that of each task in its order", arguments: [1, 40])
    func manySenders(batch: Int) async throws {
        let host = try await Host()
        let (senders, count) = (8, 400)
        try await host.run {
            try await Client(try host.account("bob")).run { bob in
                let inbox = bob.events(.messages)
                let address = try #require(await bob.address)
                try await Client(try host.account("alice")).run { alice in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for sender in 0..<senders {
                            group.addTask {
                                for first in stride(from: 0, to: count, by: batch) {
                                    let messages = (first..<first + batch).map {
                                        Message.chat(to: address, body: "\(sender) \($0)")
                                    }
                                    try await alice.send(contentsOf: messages)
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    var received = Array(repeating: [Int](), count: senders)
                    for body in await bodies(senders * count, of: inbox) {
                        let parts = body.split(separator: " ").compactMap { Int($0) }
                        received[parts[0]].append(parts[1])
                    }
                    #expect(received == Array(repeating: Array(0..<count), count: senders))
                }
            }
        }
    }

    @Test("A message and the presence after it keep their order, although they take different ways")
    func orderOfKinds() async throws {
        let host = try await Host()
        try await host.run {
            try await Client(try host.account("alice")).run { alice in
                let receiver = try JID("bob@xmpp.test")
                for number in 0..<30 {
                    try await alice.send(Message(to: receiver, id: "m\(number)", body: "x"))
                    try await alice.send(Presence(to: receiver, id: "p\(number)"))
                }
                for number in 0..<30 {
                    #expect(await host.server.next { $0.name.local != "iq" }["id"] == "m\(number)")
                    #expect(await host.server.next { $0.name.local != "iq" }["id"] == "p\(number)")
                }
            }
        }
    }

    @Test("The rest of what was sent before the end of the closure is written")
    func lastMessages() async throws {
        let host = try await Host()
        try await host.run {
            try await Client(try host.account("bob")).run { bob in
                let inbox = bob.events(.messages)
                let address = try #require(await bob.address)
                try await Client(try host.account("alice")).run { alice in
                    for number in 0..<500 { try await alice.send(.chat(to: address, body: "\(number)")) }
                }
                #expect(await bodies(500, of: inbox) == (0..<500).map { "\($0)" })
            }
        }
    }

    @Test("An observer that does not keep up stops the reading, and what was sent still arrives")
    func slowObserver() async throws {
        let host = try await Host()
        try await host.run {
            try await Client(try host.account("bob")).run { bob in
                let inbox = bob.events(.messages, limit: 5)
                let address = try #require(await bob.address)
                try await Client(try host.account("alice")).run { alice in
                    for number in 0..<2_000 { try await alice.send(.chat(to: address, body: "\(number)")) }
                    while !bob.observers.gate.isHeld { await Task.yield() }
                    #expect(await bodies(2_000, of: inbox) == (0..<2_000).map { "\($0)" })
                }
            }
        }
    }
}

@Suite("Send intake")
struct SendIntakeTests {
    private static func message(_ body: String) -> AnyStanza { .message(Message(id: "m", body: body)) }

    @Test("It is closed at first, takes no presence, and no stanza that is too large")
    func limits() {
        let intake = SendIntake()
        func isAccepted(_ stanza: AnyStanza) -> Bool {
            if case .accepted = intake.accept(stanza) { true } else { false }
        }
        #expect(!isAccepted(Self.message("a")))
        intake.open(limit: 100)
        #expect(isAccepted(Self.message("a")))
        #expect(!isAccepted(Self.message(String(repeating: "a", count: 100))))
        #expect(!isAccepted(.presence(Presence())))
        intake.open(limit: 0)
        #expect(!isAccepted(Self.message("a")))
        let batch = intake.take(isBurst: false)
        #expect(batch?.tokens.count == 1 && batch?.sizes.first == batch?.bytes.count)
        #expect(intake.take(isBurst: false) == nil && intake.take(isBurst: true) == nil)
    }

    @Test("The session is woken once for several stanzas, and during a burst only for many bytes")
    func waking() {
        let intake = SendIntake()
        intake.open(limit: 1_000)
        func wakes() -> Bool? {
            if case .accepted(_, let wakes) = intake.accept(Self.message("a")) { wakes } else { nil }
        }
        #expect(wakes() == true && wakes() == false)
        #expect(intake.take(isBurst: false)?.tokens.count == 2)
        #expect(wakes() == true)
        #expect(intake.take(isBurst: false)?.tokens.count == 1)
        intake.gather(100)
        var count = 1
        while wakes() == false { count += 1 }
        #expect(count > 1 && wakes() == false)
        let batch = intake.take(isBurst: true)
        #expect(batch?.tokens.count == count + 1 && (batch?.bytes.count ?? 0) >= 100)
    }

    @Test("It takes no more than a session may have waiting")
    func room() {
        let intake = SendIntake()
        intake.open(limit: .max)
        let body = String(repeating: "a", count: Outbox.limit / 4)
        var count = 0
        while case .accepted = intake.accept(Self.message(body)) { count += 1 }
        #expect(count == 4)
    }
}
