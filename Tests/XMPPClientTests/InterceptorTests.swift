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
}
