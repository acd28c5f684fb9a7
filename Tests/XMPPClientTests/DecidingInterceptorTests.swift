import Synchronization
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// An interceptor that decides without waiting.
private struct Decision: StanzaInterceptor {
    var send: @Sendable (AnyStanza, Session) async -> Interception = { stanza, _ in .pass(stanza) }
    let decide: @Sendable (AnyStanza, isolated Session) -> Interception?

    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? { decide(stanza, session) }
    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception { await send(stanza, session) }
}

@Suite("Interceptors that decide without waiting", .timeLimit(.minutes(20)))
struct DecidingInterceptorTests {
    private static func isMarked(_ stanza: AnyStanza, _ name: String) -> Bool {
        stanza.payloads.contains(XMLName(name, "u"))
    }

    @Test("they change, drop and handle stanzas, and observers see the others in order")
    func decisions() async throws {
        let server = MemoryServer()
        let first = Decision { stanza, _ in
            guard case .message(var message) = stanza else { return .pass(stanza) }
            message.body = (message.body ?? "") + "1"
            return .pass(.message(message))
        }
        let second = Decision { stanza, _ in
            if Self.isMarked(stanza, "drop") { return .drop }
            return Self.isMarked(stanza, "handle") ? .handled : .pass(stanza)
        }
        try await Client(try server.account("alice") { $0.interceptors = [first, second] }).run { session in
            let inbox = session.events([.messages, .filtered])
            for (id, content) in [("a", ""), ("b", "<drop xmlns='u'/>"), ("c", "<handle xmlns='u'/>"), ("d", "")] {
                try await server.send("<message from='bob@xmpp.test' id='\(id)'>\(content)</message>", to: "alice")
            }
            var seen: [String] = []
            _ = await inbox.first { event -> Bool? in
                switch event {
                case .message(let message): seen.append("\(message.id ?? "") \(message.body ?? "")")
                case .filtered(let stanza, .incoming): seen.append("dropped \(stanza.id ?? "")")
                default: break
                }
                return seen.count == 3 ? true : nil
            }
            #expect(seen == ["a 1", "dropped b", "d 1"])

            try await server.send("<iq type='get' id='e' from='bob@xmpp.test/x'><drop xmlns='u'/></iq>", to: "alice")
            #expect(try IQ(from: await server.next { $0["id"] == "e" }).error?.condition == .serviceUnavailable)
        }
    }

    @Test("one that waits in the middle of the chain gets what was decided before, and no stanza overtakes another")
    func waitingAmongThem() async throws {
        let server = MemoryServer()
        let ids = Mutex<[String]>([])
        let first = Decision { stanza, _ in
            guard case .message(var message) = stanza else { return .pass(stanza) }
            message.subject = "decided"
            return .pass(.message(message))
        }
        let slow = Hook(receive: { stanza, _ in
            guard case .message(var message) = stanza, message.id?.last == "3" else { return .pass(stanza) }
            for _ in 0..<50 { await Task.yield() }
            message.body = message.subject
            return .pass(.message(message))
        })
        let last = Decision { stanza, _ in
            ids.withLock { $0.append(stanza.id ?? "") }
            return .pass(stanza)
        }
        try await Client(try server.account("alice") { $0.interceptors = [first, slow, last] }).run { session in
            let inbox = session.events(.messages)
            ids.withLock { $0 = [] }
            for number in 0..<30 {
                try await server.send("<message from='bob@xmpp.test' id='\(number)'/>", to: "alice")
            }
            var received: [Message] = []
            _ = await inbox.first { event -> Bool? in
                if case .message(let message) = event { received.append(message) }
                return received.count == 30 ? true : nil
            }
            #expect(received.map(\.id) == (0..<30).map(String.init))
            #expect(received.filter { $0.body == "decided" }.map(\.id) == ["3", "13", "23"])
            #expect(ids.withLock { $0 } == (0..<30).map(String.init))
        }
    }

    @Test("what one posts is sent before the next stanza is handled, has an id, and passes no interceptor")
    func posting() async throws {
        let server = MemoryServer()
        let echo = Decision(
            send: { stanza, _ in Self.isMarked(stanza, "answer") ? .drop : .pass(stanza) },
            decide: { stanza, session in
                guard case .message(let message) = stanza, let sender = message.from else { return .pass(stanza) }
                var answer = Message(to: sender, body: message.body)
                answer.payloads.append(XMLElement(XMLName("answer", "u")))
                _ = try? session.post(answer)
                return .handled
            })
        try await Client(try server.account("alice") { $0.interceptors = [echo] }).run { session in
            for number in 0..<20 {
                try await server.send(
                    "<message from='bob@xmpp.test/x'><body>\(number)</body></message>", to: "alice")
            }
            await server.wait { server in server.received.filter { $0.name.local == "message" }.count == 20 }
            let answers = try await server.received.filter { $0.name.local == "message" }.map(Message.init(from:))
            #expect(answers.map(\.body) == (0..<20).map(String.init))
            #expect(Set(answers.compactMap(\.id)).count == 20)
        }
    }

    @Test("a request that was decided about is answered once, by its handler")
    func requests() async throws {
        let server = MemoryServer()
        let counted = Mutex(0)
        let pass = Decision { stanza, _ in .pass(stanza) }
        let handler = IQHandler(.get, XMLName("q", "u")) { iq in
            counted.withLock { $0 += 1 }
            return XMLElement(XMLName("a", "u"))
        }
        try await Client(try server.account("alice") { $0.interceptors = [pass] }).run { session in
            try await session.register(handler)
            let requests = session.events(.iqs)
            try await server.send("<iq type='get' id='r' from='alice@xmpp.test/other'><q xmlns='u'/></iq>", to: "alice")
            #expect(await server.next { $0["id"] == "r" }["type"] == "result")
            #expect(counted.withLock { $0 } == 1)
            let seen = await requests.first { event -> String? in
                if case .iq(let iq) = event, iq.requiresResponse { iq.id } else { nil }
            }
            #expect(seen == "r")
        }
    }

    @Test("a program that posts more than the server takes gets an error, and memory stays bounded")
    func flood() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let receiver = try JID("bob@xmpp.test")
            let (error, bytes) = await session.flood(receiver)
            #expect(error?.code == .queueFull)
            #expect(bytes < Outbox.ceiling + 200_000)
            // It is only a limit: what waits is written, and then there is room.
            _ = try await session.request(Ping())
            await #expect(throws: Never.self) { try await session.send(Message(to: receiver, body: "after")) }
        }
    }
}

extension Session {
    /// Posts until there is no room, in one turn.
    fileprivate func flood(_ receiver: JID) -> (ClientError?, Int) {
        let text = String(repeating: "x", count: 50_000)
        for _ in 0..<1000 {
            do throws(ClientError) {
                try post(Message(to: receiver, body: text))
            } catch {
                return (error, connection.writer.outbox.byteCount)
            }
        }
        return (nil, connection.writer.outbox.byteCount)
    }
}
