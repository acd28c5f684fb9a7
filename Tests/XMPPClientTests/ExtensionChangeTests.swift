import HongyanTesting
import Synchronization
import Testing
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// An extension that uses every part of the interface.
private final class Everything: SessionExtension, StanzaInterceptor {
    private let state = Mutex<[String]>([])
    private let onStart: @Sendable (Session) async throws -> Void

    init(onStart: @escaping @Sendable (Session) async throws -> Void = { _ in }) { self.onStart = onStart }

    var notes: [String] { state.withLock { $0 } }
    func note(_ text: String) { state.withLock { $0.append(text) } }

    let features = ["urn:example:everything"]
    var handlers: [IQHandler] { [IQHandler(Question.self, audience: .everybody) { question, _ in question }] }
    var interceptors: [any StanzaInterceptor] { [self] }

    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(var message) = stanza else { return .pass(stanza) }
        message.body = (message.body ?? "") + " (seen)"
        return .pass(.message(message))
    }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        note(isResumed ? "resumed" : "started")
        try await onStart(session)
    }

    func run(in session: Session) async {
        note("running")
        await Gate().wait()
        note("cancelled")
    }

    func sessionEnded(_ session: Session) async { note("ended") }
}

@Suite("Extensions that come and go", .timeLimit(.minutes(20)))
struct ExtensionChangeTests {
    private func answer(to id: String, at server: MemoryServer) async throws -> String? {
        try await server.send(
            "<iq type='get' id='\(id)' from='bob@xmpp.test/x'><question xmlns='urn:example:question'/></iq>",
            to: "alice")
        return await server.next { $0["id"] == id }["type"]
    }

    private func change(_ event: SessionEvent) -> String? {
        switch event {
        case .extensionAdded(let instance): "added \(type(of: instance))"
        case .extensionRemoved(let instance): "removed \(type(of: instance))"
        default: nil
        }
    }

    @Test("S0-62, S0-63, S3-27: an extension is added to a running session and removed, and nothing of it remains")
    func comesAndGoes() async throws {
        let server = MemoryServer()
        let bob = try JID("bob@xmpp.test")
        try await Client(try server.account("alice")).run { session in
            let changes = session.events(.extensions)
            try await session.send(Presence())
            _ = await server.next("presence")
            #expect(try await answer(to: "q1", at: server) == "error")

            let added = try await session.add { _ in Everything() }
            #expect(added.notes.contains("started"))
            #expect(session[Everything.self] === added)
            #expect(await changes.first(change) == "added Everything")
            #expect(await session.features == ["urn:example:everything", "urn:example:question"])
            // Others see the new features.
            _ = await server.next("presence")
            #expect(try await answer(to: "q2", at: server) == "result")
            try await session.send(.chat(to: bob, body: "a"))
            #expect(try Message(from: await server.next("message")).body == "a (seen)")

            let error = await clientError { _ = try await session.add { _ in Everything() } }
            #expect(error?.code == .extensionExists)

            let removed = await session.remove(Everything.self)
            #expect(removed === added)
            #expect(Set(added.notes) == ["started", "running", "cancelled", "ended"])
            #expect(added.notes.last == "ended")
            #expect(session[Everything.self] == nil)
            #expect(await changes.first(change) == "removed Everything")
            #expect(await session.features.isEmpty)
            _ = await server.next("presence")
            #expect(try await answer(to: "q3", at: server) == "error")
            try await session.send(.chat(to: bob, body: "b"))
            #expect(try Message(from: await server.next("message")).body == "b")
            #expect(await session.remove(Everything.self) == nil)

            // It can come again, and then it lives as long as the session.
            let again = try await session.add { _ in Everything() }
            #expect(again !== added && again.notes.contains("started"))
            #expect(try await answer(to: "q4", at: server) == "result")
            await session.close()
            #expect(again.notes.last == "ended")
            let late = await clientError { _ = try await session.add { _ in Everything() } }
            #expect(late?.code == .sessionEnded)
        }
    }

    @Test("S0-63: an extension of the configuration can be removed; its requests and its start are cancelled")
    func removedDuringStart() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        let asked = Gate()
        var configuration = try server.account("alice")
        configuration.add { _ in
            Everything { session in
                asked.open()
                _ = try await session.request(Question("x"))
            }
        }
        try await Client(configuration).run(from: .connecting) { session in
            session.connect()
            await asked.wait()
            let removed = try #require(await session.remove(Everything.self))
            #expect(removed.notes.last == "ended")
            // The program does not wait for what is gone.
            try await session.waitUntilOnline()
            #expect(try await answer(to: "q", at: server) == "error")
        }
    }

    @Test("S0-62: an extension that is added while the session is offline starts with the next connection")
    func addedOffline() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice") { $0.reconnection.attempts = nil }).run { session in
            let events = session.events(.connection)
            await server.kill()
            _ = await events.first { if case .stateChanged(.offline) = $0 { true } else { nil } }
            let added = try await session.add { _ in Everything() }
            #expect(!added.notes.contains("started"))
            await server.restart()
            _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
            while !added.notes.contains("started") { await Task.yield() }
            #expect(added.notes.filter { $0 == "started" || $0 == "running" }.count == 2)
        }
    }

    @Test("S0-62: one that cannot be added leaves nothing behind")
    func refused() async throws {
        struct Twin: SessionExtension {
            let features = ["urn:example:twin"]
            var handlers: [IQHandler] {
                [
                    IQHandler(.set, XMLName("other", "urn:example:other")) { _ in nil },
                    IQHandler(Question.self) { question, _ in question },
                ]
            }
        }
        struct Impatient: SessionExtension {
            var startsAfter: [any SessionExtension.Type] { [Impatient.self] }
        }
        let server = MemoryServer()
        var configuration = try server.account("alice")
        configuration.add { _ in Everything() }
        try await Client(configuration).run { session in
            let before = await session.features
            #expect(await clientError { _ = try await session.add { _ in Twin() } }?.code == .handlerExists)
            #expect(await clientError { _ = try await session.add { _ in Impatient() } }?.code == .invalidConfiguration)
            #expect(session[Twin.self] == nil && session[Impatient.self] == nil)
            #expect(await session.features == before)
        }
    }

    @Test("S0-63: an extension can remove itself")
    func removesItself() async throws {
        final class Brief: SessionExtension {
            let isOver = Gate()
            func run(in session: Session) async { await session.remove(Brief.self) }
            func sessionEnded(_ session: Session) async { isOver.open() }
        }
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let brief = try await session.add { _ in Brief() }
            await brief.isOver.wait()
            #expect(session[Brief.self] == nil)
        }
    }

    @Test("S0-64: an element of another kind that was sent is reported when it is written")
    func elementSent() async throws {
        let server = MemoryServer()
        let inactive = try XMLElement(parsing: "<inactive xmlns='urn:xmpp:csi:0'/>")
        try await Client(try server.account("alice")).run { session in
            let events = session.events(.sending)
            try await session.send(element: inactive)
            let sent = await events.first { if case .elementSent(let element) = $0 { element } else { nil } }
            #expect(sent == inactive)
            let huge = try XMLElement(
                parsing: "<x xmlns='u'>" + String(repeating: "x", count: 300_000) + "</x>", limits: .unlimited)
            #expect(await clientError { try await session.send(element: huge) }?.code == .stanzaTooLarge)
        }
    }

    @Test("S3-7: a console of a running session shows its XML without secrets until it is closed")
    func console() async throws {
        let server = MemoryServer()
        let lines = Mutex<[String]>([])
        let bob = try JID("bob@xmpp.test")
        try await Client(try server.account("alice")).run { session in
            try await session.add {
                SessionLog($0, .wire) { level, line in if level == .wire { lines.withLock { $0.append(line) } } }
            }
            try await session.send(.chat(to: bob, body: "for Bob"))
            _ = try await session.request(Ping())
            await session.remove(SessionLog.self)
            try await session.send(.chat(to: bob, body: "unseen"))
            _ = try await session.request(Ping())
        }
        let shown = lines.withLock { $0 }
        #expect(shown.contains { $0.hasPrefix("C: <message") && $0.contains("<body>for Bob</body>") }, "\(shown)")
        #expect(shown.contains { $0.hasPrefix("S: <iq") && $0.contains("type='result'") })
        #expect(!shown.contains { $0.contains("unseen") })
    }

    @Test("S3-7: the XML of a login, in the clear and encrypted, contains no password")
    func login() async throws {
        let server = MemoryServer()
        let lines = Mutex<[String]>([])
        let configuration = try server.account("alice") {
            $0.add { SessionLog($0, .wire) { level, line in if level == .wire { lines.withLock { $0.append(line) } } } }
        }
        try await Client(configuration).run { _ in }
        let shown = lines.withLock { $0 }
        #expect(
            shown.first?.hasPrefix("C: <?xml") == true || shown.first?.hasPrefix("C: <stream:stream") == true,
            "\(shown)")
        #expect(shown.last == "S: </stream:stream>", "\(shown)")
        let login = shown.filter { $0.contains("sasl") && !$0.contains("features") }
        #expect(!login.isEmpty)
        for line in login where line.contains("<auth") || line.contains("<response") || line.contains("<challenge") {
            #expect(line.contains("…"), "\(line)")
        }
        #expect(!shown.joined().contains("secret of alice"))
    }
}
