import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

@Suite("Sending", .timeLimit(.minutes(20)))
struct SendingTests {
    @Test("two sessions chat; S0-43, S0-49, S0-50: what is sent arrives and is reported")
    func chat() async throws {
        let server = MemoryServer()
        try await Client(try server.account("bob", resource: "r")).run { bob in
            let inbox = bob.events(.messages)
            try await Client(try server.account("alice", resource: "r")).run { alice in
                let sending = alice.events(.sending)
                let token = try await alice.send(.chat(to: try JID("bob@xmpp.test"), body: "Dobré ráno 😀 <&>"))
                let message = await inbox.message()
                #expect(message?.body == "Dobré ráno 😀 <&>")
                #expect(try message?.from == JID("alice@xmpp.test/r"))
                #expect(message?.id == token.id)
                try await token.reached(.acknowledged)
                let written = await sending.first { if case .sent(let sent) = $0 { sent.id } else { nil } }
                #expect(written == token.id)
                _ = try await alice.request(Ping())
                let asked = await sending.first {
                    if case .sent(let sent) = $0, case .iq(let iq) = sent.stanza { iq.payload?.name } else { nil }
                }
                #expect(asked == Ping.name)
            }
        }
    }

    @Test("S0-44, S0-51: directed presence arrives and is reported as sent")
    func presenceBetweenTwo() async throws {
        let server = MemoryServer()
        try await Client(try server.account("bob", resource: "r")).run { bob in
            let seen = bob.events(.presences)
            try await Client(try server.account("alice", resource: "r")).run { alice in
                let sending = alice.events(.sending)
                let token = try await alice.send(Presence(to: try JID("bob@xmpp.test"), show: .chat))
                let presence = await seen.first { if case .presence(let presence) = $0 { presence } else { nil } }
                #expect(try presence?.from == JID("alice@xmpp.test/r") && presence?.show == .chat)
                #expect(await sending.first { if case .sent(let sent) = $0 { sent.id } else { nil } } == token.id)
            }
        }
    }

    @Test("what is acknowledged before the writer continues is reported as sent, too")
    func acknowledgedEarly() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { configuration in
            let connect = configuration.transports.connect
            configuration.transports = TransportFactory { target throws(TransportError) in
                LateWritingTransport(base: try await connect(target))
            }
        }
        try await Client(configuration).run { session in
            let sending = session.events(.sending)
            let token = try await session.send(.chat(to: try JID("bob@xmpp.test"), body: "x"))
            try await token.reached(.acknowledged)
            var reports: [String] = []
            events: for await batch in sending {
                for event in batch {
                    switch event {
                    case .sent(let sent) where sent.id == token.id: reports.append("sent")
                    case .acknowledged(let sent) where sent.id == token.id: break events
                    default: break
                    }
                }
            }
            #expect(reports == ["sent"])
        }
    }

    @Test("W-20: every stanza gets an id, an existing one is preserved")
    func ids() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let one = try await session.send(Message(to: try JID("bob@xmpp.test"), body: "x"))
            let two = try await session.send(Message(to: try JID("bob@xmpp.test"), id: "mine", body: "x"))
            let three = try await session.send(Presence())
            #expect(two.id == "mine" && !one.id.isEmpty && one.id != three.id)
            for token in [one, two, three] {
                #expect(await server.next { $0.name.local != "iq" }["id"] == token.id)
            }
        }
    }

    @Test("W-18: messages, presences and requests arrive in the order in which they were sent")
    func order() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            for round in 0..<100 {
                try await session.send(Message(to: try JID("bob@xmpp.test"), id: "\(round)a"))
                try await session.send(Presence(id: "\(round)b"))
                try await session.send(IQ(type: .get, id: "\(round)c", payload: Ping()))
            }
            for round in 0..<100 {
                for letter in ["a", "b", "c"] { #expect(await server.next { _ in true }["id"] == "\(round)\(letter)") }
            }
        }
    }

    @Test("a token passes each stage once, and notifies its waiters")
    func stages() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let token = try await session.send(Message(to: try JID("bob@xmpp.test"), body: "x"))
            async let seen: [SendToken.Stage] = {
                var stages: [SendToken.Stage] = []
                for await change in token.changes {
                    if case .reached(let stage) = change { stages.append(stage) }
                }
                return stages
            }()
            try await token.reached(.acknowledged)
            #expect(await session.token(stanzaID: token.id) === token)
            token.advance(to: .delivered)
            token.advance(to: .written)
            #expect(token.stage == .delivered)
            token.advance(to: .displayed)
            try await token.reached(.delivered)
            let stages = await seen
            #expect(stages.last == .displayed && stages == stages.sorted())
        }
    }

    @Test("messages of one call arrive in their order; after one that cannot be sent nothing follows")
    func severalAtOnce() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let bob = try JID("bob@xmpp.test")
            let tokens = try await session.send(
                contentsOf: (0..<300).map { .chat(to: bob, body: "\($0)", id: "\($0)") })
            #expect(tokens.map(\.id) == (0..<300).map(String.init))
            for number in 0..<300 { #expect(await server.next("message")["id"] == "\(number)") }
            let large = Message.chat(to: bob, body: String(repeating: "x", count: 1_000_000), id: "large")
            let error = await clientError {
                try await session.send(
                    contentsOf: [
                        .chat(to: bob, body: "x", id: "before"), large, .chat(to: bob, body: "x", id: "after"),
                    ])
            }
            #expect(error?.code == .stanzaTooLarge)
            try await session.send(.chat(to: bob, body: "x", id: "last"))
            #expect(await server.next("message")["id"] == "before")
            #expect(await server.next("message")["id"] == "last")
        }
    }

    @Test("a burst arrives completely and in its order, however it is divided into writes", arguments: [true, false])
    func burst(isManaged: Bool) async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.usesStreamManagement = isManaged }
        try await Client(configuration).run { session in
            let bob = try JID("bob@xmpp.test")
            let sending = session.events(.sending, limit: .max)
            var last: SendToken?
            for number in 0..<2_000 { last = try await session.send(.chat(to: bob, body: "text", id: "\(number)")) }
            for number in 0..<2_000 { #expect(await server.next("message")["id"] == "\(number)") }
            try await last?.reached(isManaged ? .acknowledged : .written)
            var sent: [String] = []
            for await batch in sending {
                for case .sent(let token) in batch { sent.append(token.id) }
                if sent.count >= 2_000 { break }
            }
            #expect(sent == (0..<2_000).map(String.init))
        }
    }

    @Test(
        "a token is found by its id while it is open, and afterwards as long as somebody keeps it",
        arguments: [true, false])
    func foundByID(isManaged: Bool) async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.usesStreamManagement = isManaged }
        try await Client(configuration).run { session in
            let bob = try JID("bob@xmpp.test")
            let kept = try await session.send(.chat(to: bob, body: "x", id: "kept"))
            #expect(await session.token(stanzaID: "kept") === kept)
            for number in 0..<50 { try await session.send(.chat(to: bob, body: "x", id: "\(number)")) }
            let last = try await session.send(.chat(to: bob, body: "x", id: "last"))
            try await last.reached(isManaged ? .acknowledged : .written)
            #expect(await session.token(stanzaID: "kept") === kept)
            #expect(await session.token(stanzaID: "last") === last)
            #expect(await session.token(stanzaID: "7") == nil)
            #expect(kept.stage == (isManaged ? .acknowledged : .written))
        }
    }

    @Test("the ids of a session have one random part and count in base 36")
    func identifiers() {
        var generator = SystemRandomNumberGenerator()
        var source = IdentifierSource(using: &generator)
        let first = source.next()
        let prefix = first.dropLast()
        #expect(prefix.count == 9 && first.hasSuffix("-1"))
        for number in 2...50_000 { #expect(source.next() == prefix + String(number, radix: 36)) }
        var other = IdentifierSource(using: &generator)
        #expect(!other.next().hasPrefix(prefix))
    }

    @Test("an impossible number of a stored stanza is ignored")
    func damagedNumber() throws {
        let ledger = SendLedger()
        let bytes = Array("<message to='bob@xmpp.test' id='m'><body>x</body></message>".utf8)
        ledger.restore(UnacknowledgedStanza(token: StanzaToken(.max), bytes: bytes))
        ledger.restore(UnacknowledgedStanza(token: StanzaToken(7), bytes: bytes))
        let token = SendToken(stanza: .message(Message(id: "new")))
        let number = ledger.enter(token)
        #expect(number == StanzaToken(8) && ledger[number] === token)
        #expect(ledger.numbers == [StanzaToken(7), StanzaToken(8)])
        #expect(ledger.token(stanzaID: "m")?.stage == .written && ledger.token(stanzaID: "new") === token)
        #expect(ledger.close(number) === token && ledger.close(number) == nil)
        #expect(ledger.numbers == [StanzaToken(7)])
    }

    @Test("without stream management no task waits for an acknowledgement forever")
    func unmanaged() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice") { $0.usesStreamManagement = false }).run { session in
            let token = try await session.send(Message(to: try JID("bob@xmpp.test"), body: "x"))
            try await token.reached(.written)
            #expect(await clientError { try await token.reached(.acknowledged) }?.code == .unacknowledged)
            async let delivered: Void = token.reached(.delivered)
            token.advance(to: .delivered)
            try await delivered
        }
    }

    @Test("S0-52, S0-53, S0-54, S0-92: without a connection sending fails immediately with the reason")
    func notConnected() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice")
        let kept = try await Client(configuration).run(from: .connecting) { session in
            let early = await #expect(throws: ClientError.self) { try await session.send(Presence()) }
            #expect(early?.code == .notConnected && early?.exitClass == .connection)
            try await session.waitUntilOnline()
            return session
        }
        for _ in 0..<2 {
            let late = await #expect(throws: ClientError.self) { try await kept.send(Message(body: "x")) }
            #expect(late?.code == .sessionEnded)
        }
        let request = await #expect(throws: ClientError.self) { try await kept.request(Ping()) }
        #expect(request?.code == .sessionEnded)
    }

    @Test("stanzas that are unconfirmed at the end fail as unacknowledged")
    func unacknowledged() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.reconnection = .never }
        let holder = Box<SendToken>()
        let error = await #expect(throws: ClientError.self) {
            try await Client(configuration).run { session in
                let events = session.events(.sending)
                await server.cut("alice")
                holder.value = try? await session.send(Message(to: try JID("bob@xmpp.test"), body: "x"))
                _ = await events.first { _ in nil as Bool? }
            }
        }
        #expect(error?.code == .connectionFailed)
        if let token = holder.value {
            #expect(token.failure != nil)
            await #expect(throws: ClientError.self) { try await token.reached(.acknowledged) }
        }
    }

    @Test("S0-23, S0-24: the last broadcast presence is known and can be sent again; others do not count")
    func presence() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            #expect(await session.presence == nil)
            #expect(try await session.resendPresence() == nil)
            let events = session.events(.connection)
            let away = Presence(show: .away, status: "tea")
            try await session.send(away)
            try await session.send(Presence(type: .subscribe, to: try JID("bob@xmpp.test")))
            try await session.send(Presence(to: try JID("room@muc.xmpp.test/nick")))
            let changed = await events.first { if case .presenceChanged(let presence) = $0 { presence } else { nil } }
            #expect(changed?.show == .away)
            #expect(await session.presence?.status == "tea")
            try await session.resendPresence()
            _ = try await session.request(Ping())
            let shown = await server.received.filter { $0.name.local == "presence" && $0["to"] == nil }
            #expect(shown.count == 2 && shown[0]["id"] != shown[1]["id"])
        }
    }

    @Test("S0-64, S0-65: top-level elements other than stanzas are sent and received")
    func customElements() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let events = session.events(.elements)
            try await session.send(element: try XMLElement(parsing: "<inactive xmlns='urn:xmpp:csi:0'/>"))
            #expect(await server.next("inactive").name.namespace == "urn:xmpp:csi:0")
            try await server.sendElement("<hello xmlns='urn:example'/>", to: "alice")
            let element = await events.first { if case .element(let element) = $0 { element.name.local } else { nil } }
            #expect(element == "hello")
        }
    }

    @Test("a task that waits for buffer space is resumed by the writer; cancelling it ends the wait")
    func room() async throws {
        let server = MemoryServer(capacity: 4096)
        try await Client(try server.account("alice")).run { session in
            let body = String(repeating: "x", count: 10_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        for _ in 0..<25 {
                            try await session.send(Message(to: try JID("bob@xmpp.test"), id: "\(number)", body: body))
                        }
                    }
                }
                try await group.waitForAll()
            }
            await server.wait { server in server.received.filter { $0.name.local == "message" }.count == 200 }
        }
    }
}
