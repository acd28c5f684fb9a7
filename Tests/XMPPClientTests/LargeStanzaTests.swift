import MessageFeatures
import ServerFixtures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

extension Session {
    /// Sends bytes without the machine, like a hostile client.
    func writeRaw(_ text: String) { perform([.write(Array(text.utf8))]) }
}

/// RFC 6120 §4.9.3.14, §13.12, XEP-0478: a stanza that is too large for the server is not sent, and one that it refuses
/// is given up.
@Suite("Large stanzas", .timeLimit(.minutes(20)))
struct LargeStanzaTests {
    private static func text(_ byteCount: Int) -> String { String(repeating: "a", count: byteCount) }

    @Test("P13: a message larger than the limit is refused with its size, and the session continues")
    func refused() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice", resource: "r")).run { session in
            let bob = try JID("bob@xmpp.test")
            let error = await clientError {
                try await session.send(.chat(to: bob, body: Self.text(StreamLimits.usualBytes)))
            }
            #expect(error?.code == .stanzaTooLarge)
            #expect(error?.message.contains("\(StreamLimits.usualBytes)") == true)
            let request = await clientError {
                _ = try await session.request(Question(Self.text(StreamLimits.usualBytes)), timeout: .seconds(600))
            }
            #expect(request?.code == .stanzaTooLarge)
            try await session.send(.chat(to: bob, body: "short")).reached(.acknowledged)
        }
        #expect(await server.received.contains { $0.firstChild?.text.count ?? 0 > 10 } == false)
        #expect(await server.connections == 1)
    }

    @Test("a message larger than the limit is refused without a connection, too")
    func refusedWhileAway() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice", resource: "r") {
            $0.reconnection = ReconnectionPolicy(
                attempts: nil, backoff: Backoff(first: .seconds(600), longest: .seconds(600)))
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await events.first { if case .connection(.disconnected) = $0 { true } else { nil } }
            let bob = try JID("bob@xmpp.test")
            let error = await clientError {
                try await session.send(.chat(to: bob, body: Self.text(StreamLimits.usualBytes)))
            }
            #expect(error?.code == .stanzaTooLarge)
            _ = try await session.send(.chat(to: bob, body: "short"))
        }
    }

    @Test("P11: a request whose id is too long to be repeated gets no response, the next one does")
    func longID() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice", resource: "r")).run { session in
            for id in [Self.text(IQ.repeatedIDBytes + 1), Self.text(IQ.repeatedIDBytes), "short"] {
                for payload in ["<question xmlns='urn:example:question'/>", "<a xmlns='urn:x'/><b xmlns='urn:x'/>"] {
                    try await server.send(
                        "<iq type='get' id='\(id)' from='mallory@evil.test/x'>\(payload)</iq>", to: "alice")
                }
            }
            await server.wait { $0.received.filter { $0["id"] == "short" }.count == 2 }
            let ids = await server.received.filter { $0["type"] == "error" }.compactMap { $0["id"]?.count }
            #expect(ids == [IQ.repeatedIDBytes, IQ.repeatedIDBytes, 5, 5])
        }
    }

    @Test("a message that ends the stream twice fails, not the account")
    func suspect() async throws {
        let server = MemoryServer()
        let error = "<stream:error><policy-violation xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
        try await Client(try server.account("alice", resource: "r")).run { session in
            let events = session.events(.connection)
            let bob = try JID("bob@xmpp.test")
            var token = try await session.send(.chat(to: bob, body: "before"))
            try await token.reached(.acknowledged)
            for _ in 1...StanzaSuspicion.limit {
                await server.mute("alice")
                token = try await session.send(Message(to: bob, type: .chat, id: "poison", body: "boo"))
                await server.next { $0["id"] == "poison" }
                try await server.writeRaw(Array((error + "</stream:stream>").utf8), to: "alice")
                _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
            }
            #expect(token.failure?.code == .stanzaRefused)
            #expect(token.failure?.streamFailure?.streamError?.condition == .policyViolation)
            try await session.send(.chat(to: bob, body: "after")).reached(.acknowledged)
        }
    }

    @Test("a stored session with a stanza that is too large is not resumed; its stanzas are returned")
    func poisonedState() async throws {
        let server = MemoryServer()
        let message = Message(
            to: try JID("bob@xmpp.test"), type: .chat, id: "old", body: Self.text(StreamLimits.usualBytes))
        let state = ResumptionState(
            id: "gone", address: try JID("alice@xmpp.test/r"), handledCount: 0, acknowledgedCount: 0,
            unacknowledged: [UnacknowledgedStanza(token: StanzaToken(1), bytes: StreamMarkup.bytes(of: message))])
        try await Client(try server.account("alice", resource: "r") { $0.resumption = state }).run { session in
            #expect(await session.token(stanzaID: "old") == nil)
            _ = try await session.request(Ping())
        }
        #expect(await server.connections == 1)
        #expect(await !server.received.contains { $0["id"] == "old" })
    }

    @Test(
        "P9, P10, P11: ids that are too long to be repeated are not answered",
        arguments: ServerKind.allCases)
    func longIDs(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (mallory, bob) = (try await server.newAccount("mallory"), try await server.newAccount("bob"))
        let victim = try server.configuration(bob, resource: "r") { $0.add { _ in DeliveryReceipts() } }
        try await Client(victim).run { bobSession in
            try await bobSession.send(Presence())
            // Peers to which the session has written may see that it is online, so receipts are due.
            try await bobSession.send(Message(to: try JID(mallory.address), type: .chat, body: "hello"))
            let inbox = bobSession.events([.messages, .connection, .filtered])
            let address = "\(bob.address)/r"
            try await Client(try server.configuration(mallory, resource: "m")).run { session in
                let answers = session.events(.messages)
                let id = String(repeating: "\"", count: 45_000)
                let request = "<request xmlns='urn:xmpp:receipts'/>"
                await session.writeRaw(
                    "<message type='chat' to='\(address)' id='\(id)'><body>x</body>\(request)</message>"
                        + "<message type='headline' to='\(address)' id='\(id)'>\(request)</message>"
                        + "<iq type='get' to='\(address)' id='\(id)'><ping xmlns='urn:xmpp:ping'/></iq>"
                        + "<message type='chat' to='\(address)' id='last'><body>last</body>\(request)</message>")
                let last = await inbox.first { event -> Bool? in
                    switch event {
                    case .message(let message): message.body == "last" ? true : nil
                    case .connection: false
                    default: nil
                    }
                }
                #expect(last == true)
                let receipt = await answers.message()
                #expect(receipt?.payloads.contains(DeliveryReceipt.name) == true)
                #expect((try? receipt?.payload(DeliveryReceipt.self))??.messageID == "last")
            }
            #expect(await bobSession.isOnline)
        }
    }

    @Test(
        "P13: if the limit of a server is lower than announced, the message fails and the account stays online",
        arguments: ServerKind.allCases)
    func unannouncedLimit(kind: ServerKind) async throws {
        let server = try await kind.shared(ServerOptions { $0.stanzaSizeLimit = 20_000 })
        let (alice, bob) = (try await server.newAccount("alice"), try await server.newAccount("bob"))
        try await Client(try server.configuration(alice, resource: "r")).run { session in
            let events = session.events(.connection)
            let message = Message(
                to: try JID(bob.address), type: .chat, id: "large", body: Self.text(StreamLimits.usualBytes / 2))
            var token = try await session.send(message)
            for round in 1...StanzaSuspicion.limit {
                _ = await events.first { if case .connection(.online) = $0 { true } else { nil } }
                if round < StanzaSuspicion.limit { token = try await session.send(message) }
            }
            #expect(token.failure?.code == .stanzaRefused)
            try await session.send(.chat(to: try JID(bob.address), body: "after")).reached(.acknowledged)
        }
    }

    @Test("a stanza of exactly the usual size is accepted", arguments: ServerKind.allCases)
    func exactly(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (alice, bob) = (try await server.newAccount("alice"), try await server.newAccount("bob"))
        try await Client(try server.configuration(alice, resource: "r")).run { session in
            let empty = Message(to: try JID(bob.address), type: .chat, id: "m", body: "x")
            let rest = await session.serverLimits.stanzaBytes - StreamMarkup.bytes(of: empty).count + 1
            let token = try await session.send(
                Message(to: try JID(bob.address), type: .chat, id: "m", body: Self.text(rest)))
            try await token.reached(.acknowledged)
            let error = await clientError {
                try await session.send(
                    Message(to: try JID(bob.address), type: .chat, id: "m", body: Self.text(rest + 1)))
            }
            #expect(error?.code == .stanzaTooLarge)
        }
    }
}
