import Synchronization
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// An interceptor made of closures.
struct Hook: StanzaInterceptor {
    var receive: @Sendable (AnyStanza, Session) async -> Interception = { stanza, _ in .pass(stanza) }
    var send: @Sendable (AnyStanza, Session) async -> Interception = { stanza, _ in .pass(stanza) }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception { await receive(stanza, session) }
    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception { await send(stanza, session) }
}

@Suite("Interceptors", .timeLimit(.minutes(20)))
struct InterceptorTests {
    /// Adds a word to the body of every message.
    private func marking(_ word: String) -> Hook {
        @Sendable func mark(_ stanza: AnyStanza) -> Interception {
            guard case .message(var message) = stanza else { return .pass(stanza) }
            message.body = "\(message.body ?? "") \(word)"
            return .pass(.message(message))
        }
        return Hook(receive: { stanza, _ in mark(stanza) }, send: { stanza, _ in mark(stanza) })
    }

    @Test(
        "S0-38…S0-40, S0-46…S0-48, S3-8, S3-18: the chain can change stanzas; incoming ones in order, outgoing ones in reverse order"
    )
    func changing() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.interceptors = [marking("1"), marking("2")] }
        try await Client(configuration).run { session in
            let inbox = session.events(.messages)
            try await session.send(Message(to: try JID("bob@xmpp.test"), body: "out"))
            #expect(try Message(from: await server.next("message")).body == "out 2 1")
            try await server.send("<message from='bob@xmpp.test'><body>in</body></message>", to: "alice")
            #expect(await inbox.message()?.body == "in 1 2")
        }
    }

    @Test("S0-38, S0-40, S0-46, S0-48: requests and presence are changed in both directions")
    func changingOthers() async throws {
        let server = MemoryServer()
        let mark = XMLName("mark", "u")
        @Sendable func marked(_ stanza: AnyStanza) -> Interception {
            switch stanza {
            case .iq(var iq) where iq.requiresResponse:
                iq.language = "fi"
                return .pass(.iq(iq))
            case .presence(var presence):
                presence.payloads.append(XMLElement(mark))
                return .pass(.presence(presence))
            case .iq, .message: return .pass(stanza)
            }
        }
        let hook = Hook(receive: { stanza, _ in marked(stanza) }, send: { stanza, _ in marked(stanza) })
        try await Client(try server.account("alice") { $0.interceptors = [hook] }).run { session in
            let inbox = session.events([.presences, .iqs])
            try await session.send(Presence(status: "out"))
            let presence = try Presence(from: await server.next { $0.name.local == "presence" })
            #expect(presence.payloads.contains(mark))
            var request = IQ(type: .get, to: try JID("bob@xmpp.test/x"), id: "changed")
            request.payloads.append(XMLElement(XMLName("q", "u")))
            try await session.send(request)
            #expect(try IQ(from: await server.next { $0["id"] == "changed" }).language == "fi")

            try await server.send("<presence from='bob@xmpp.test/x'/>", to: "alice")
            try await server.send("<iq type='get' id='in' from='bob@xmpp.test/x'><q xmlns='u'/></iq>", to: "alice")
            var seen: (presence: Bool, iq: Bool) = (false, false)
            reading: for await batch in inbox {
                for event in batch {
                    if case .presence(let presence) = event, presence.from?.local == "bob" {
                        seen.presence = presence.payloads.contains(mark)
                    }
                    if case .iq(let iq) = event, iq.id == "in" {
                        seen.iq = iq.language == "fi"
                        break reading
                    }
                }
            }
            #expect(seen.presence)
            #expect(seen.iq)
        }
    }

    @Test("S0-41, W-18: dropped stanzas are reported in both directions, and to their sender")
    func dropping() async throws {
        let server = MemoryServer()
        let dropAll = Hook(
            receive: { stanza, _ in stanza.payloads.contains(XMLName("drop", "u")) ? .drop : .pass(stanza) },
            send: { stanza, _ in stanza.payloads.contains(XMLName("drop", "u")) ? .drop : .pass(stanza) })
        try await Client(try server.account("alice") { $0.interceptors = [dropAll] }).run { session in
            let filtered = session.events(.filtered)
            let drop = try XMLElement(parsing: "<drop xmlns='u'/>")
            let error = await #expect(throws: ClientError.self) {
                try await session.send(Message(to: try JID("bob@xmpp.test"), payloads: [drop]))
            }
            #expect(error?.code == .dropped)
            for name in ["message", "presence"] {
                try await server.send("<\(name) from='bob@xmpp.test'><drop xmlns='u'/></\(name)>", to: "alice")
            }
            try await server.send("<iq type='get' id='d' from='bob@xmpp.test/x'><drop xmlns='u'/></iq>", to: "alice")
            #expect(try IQ(from: await server.next { $0["id"] == "d" }).error?.condition == .serviceUnavailable)
            var directions: [StanzaDirection] = []
            _ = await filtered.first { event -> Bool? in
                if case .filtered(_, let direction) = event { directions.append(direction) }
                return directions.count == 4 ? true : nil
            }
            #expect(directions == [.outgoing, .incoming, .incoming, .incoming])
            #expect(
                await !server.received.contains {
                    $0.firstChild?.name == XMLName("drop", "u") && $0.name.local == "message"
                })
        }
    }

    @Test("a stanza that an interceptor has handled is not delivered")
    func handled() async throws {
        let server = MemoryServer()
        let hook = Hook(receive: { stanza, session in
            guard case .iq(let iq) = stanza, iq.isGet else { return .pass(stanza) }
            _ = try? await session.send(IQ.result(for: iq))
            return .handled
        })
        try await Client(try server.account("alice") { $0.interceptors = [hook] }).run { session in
            try await server.send("<iq type='get' id='h' from='bob@xmpp.test/x'><q xmlns='u'/></iq>", to: "alice")
            #expect(await server.next { $0["id"] == "h" }["type"] == "result")
        }
    }

    @Test("a stanza that an interceptor sends goes out first; a request in it fails instead of blocking")
    func nested() async throws {
        let server = MemoryServer()
        let errors = Box<[ClientError.Code]>()
        @Sendable func work(_ stanza: AnyStanza, _ session: Session) async -> Interception {
            guard case .message(let message) = stanza, message.isMessageWithBody else { return .pass(stanza) }
            _ = try? await session.send(Message(to: message.to, id: "before"))
            do throws(ClientError) {
                _ = try await session.request(Ping())
            } catch {
                errors.value = (errors.value ?? []) + [error.code]
            }
            return .pass(stanza)
        }
        try await Client(try server.account("alice") { $0.interceptors = [Hook(receive: work, send: work)] }).run {
            session in
            let inbox = session.events(.messages)
            try await session.send(Message(to: try JID("bob@xmpp.test"), id: "after", body: "x"))
            #expect(await server.next("message")["id"] == "before")
            #expect(await server.next("message")["id"] == "after")
            try await server.send("<message from='bob@xmpp.test'><body>in</body></message>", to: "alice")
            #expect(await inbox.message()?.body == "in")
            #expect(errors.value == [.wouldDeadlock, .wouldDeadlock])
        }
    }

    @Test("a slow interceptor does not change the order in either direction")
    func order() async throws {
        let server = MemoryServer()
        let slow = Hook(
            receive: { stanza, _ in
                for _ in 0..<(stanza.id?.last == "0" ? 50 : 0) { await Task.yield() }
                return .pass(stanza)
            },
            send: { stanza, _ in
                for _ in 0..<(stanza.id?.last == "0" ? 50 : 0) { await Task.yield() }
                return .pass(stanza)
            })
        try await Client(try server.account("alice") { $0.interceptors = [slow] }).run { session in
            let inbox = session.events(.messages)
            for number in 0..<60 {
                try await server.send("<message from='bob@xmpp.test' id='\(number)'/>", to: "alice")
            }
            var ids: [String] = []
            _ = await inbox.first { event -> Bool? in
                if case .message(let message) = event { ids.append(message.id ?? "") }
                return ids.count == 60 ? true : nil
            }
            #expect(ids == (0..<60).map(String.init))
            let receiver = try JID("bob@xmpp.test")
            async let first: Void = {
                for number in 0..<30 { try await session.send(Message(to: receiver, id: "a\(number)")) }
            }()
            async let second: Void = {
                for number in 0..<30 { try await session.send(Message(to: receiver, id: "b\(number)")) }
            }()
            _ = try await (first, second)
            await server.wait { server in server.received.filter { $0.name.local == "message" }.count == 60 }
            let sent = await server.received.filter { $0.name.local == "message" }.compactMap { $0["id"] }
            #expect(sent.filter { $0.hasPrefix("a") } == (0..<30).map { "a\($0)" })
            #expect(sent.filter { $0.hasPrefix("b") } == (0..<30).map { "b\($0)" })
        }
    }

    /// Records what it is asked about and what it gets; it is concerned only with what has a `mark`.
    private final class Marked: StanzaInterceptor {
        static let mark = XMLName("mark", "u")
        let received = Mutex<[String]>([])
        let sent = Mutex<[String]>([])

        func concerns(received stanza: AnyStanza) -> Bool { stanza.payloads.contains(Self.mark) }
        func concerns(sent stanza: AnyStanza) -> Bool { stanza.payloads.contains(Self.mark) }

        func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            for _ in 0..<20 { await Task.yield() }
            received.withLock { $0.append(stanza.id ?? "") }
            return .pass(stanza)
        }

        func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
            for _ in 0..<20 { await Task.yield() }
            sent.withLock { $0.append(stanza.id ?? "") }
            return .pass(stanza)
        }
    }

    @Test("an interceptor gets only what concerns it, and the order is that of all stanzas")
    func concerned() async throws {
        let server = MemoryServer()
        let hook = Marked()
        try await Client(try server.account("alice") { $0.interceptors = [hook] }).run { session in
            let inbox = session.events(.messages)
            let mark = "<mark xmlns='u'/>"
            for number in 0..<60 {
                try await server.send(
                    "<message from='bob@xmpp.test' id='\(number)'>\(number % 7 == 3 ? mark : "")</message>",
                    to: "alice")
            }
            var ids: [String] = []
            _ = await inbox.first { event -> Bool? in
                if case .message(let message) = event { ids.append(message.id ?? "") }
                return ids.count == 60 ? true : nil
            }
            #expect(ids == (0..<60).map(String.init))
            let marked = (0..<60).filter { $0 % 7 == 3 }.map(String.init)
            #expect(hook.received.withLock { $0 } == marked)

            let receiver = try JID("bob@xmpp.test")
            for number in 0..<60 {
                var message = Message(to: receiver, id: "\(number)")
                if number % 7 == 3 { message.payloads.append(XMLElement(Marked.mark)) }
                try await session.send(message)
            }
            await server.wait { server in server.received.filter { $0.name.local == "message" }.count == 60 }
            let sent = await server.received.filter { $0.name.local == "message" }.compactMap { $0["id"] }
            #expect(sent == (0..<60).map(String.init))
            #expect(hook.sent.withLock { $0 } == marked)
        }
    }

    @Test("a stanza that one interceptor changes concerns another one as it is then")
    func concernedByChanges() async throws {
        let server = MemoryServer()
        let hook = Marked()
        @Sendable func marked(_ stanza: AnyStanza) -> Interception {
            guard case .message(var message) = stanza else { return .pass(stanza) }
            message.payloads.append(XMLElement(Marked.mark))
            return .pass(.message(message))
        }
        let first = Hook(receive: { stanza, _ in marked(stanza) })
        let last = Hook(send: { stanza, _ in marked(stanza) })
        try await Client(try server.account("alice") { $0.interceptors = [first, hook, last] }).run { session in
            let inbox = session.events(.messages)
            try await server.send("<message from='bob@xmpp.test' id='in'><body>x</body></message>", to: "alice")
            #expect(await inbox.message()?.id == "in")
            #expect(hook.received.withLock { $0 } == ["in"])
            try await session.send(Message(to: try JID("bob@xmpp.test"), id: "out"))
            #expect(hook.sent.withLock { $0 } == ["out"])
        }
    }

    @Test("a stanza that concerns no interceptor does not overtake one that an interceptor has")
    func concernedAndOvertaking() async throws {
        let server = MemoryServer()
        let (entered, isEntered) = AsyncStream.makeStream(of: Void.self)
        let (release, isReleased) = AsyncStream.makeStream(of: Void.self)
        struct Holding: StanzaInterceptor {
            let hold: @Sendable () async -> Void

            func concerns(sent stanza: AnyStanza) -> Bool { stanza.id == "first" }
            func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
                await hold()
                return .pass(stanza)
            }
        }
        let holding = Holding {
            isEntered.yield()
            for await _ in release { break }
        }
        try await Client(try server.account("alice") { $0.interceptors = [holding] }).run { session in
            let receiver = try JID("bob@xmpp.test")
            async let first = session.send(Message(to: receiver, id: "first"))
            for await _ in entered { break }
            async let second = session.send(Message(to: receiver, id: "second"))
            for _ in 0..<100 { await Task.yield() }
            isReleased.yield()
            _ = try await (first, second)
            await server.wait { server in server.received.filter { $0.name.local == "message" }.count == 2 }
            let sent = await server.received.filter { $0.name.local == "message" }.compactMap { $0["id"] }
            #expect(sent == ["first", "second"])
        }
    }
}
