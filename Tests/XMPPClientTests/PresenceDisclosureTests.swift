import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// Knows some peers, like a roster.
private struct Contacts: PeerDirectory {
    let addresses: Set<JID>

    var handlers: [IQHandler] { [IQHandler(Question.self) { question, _ in question }] }
    func maySeePresence(_ peer: JID) async -> Bool { addresses.contains(peer.bare) }
    func follows(_ peer: JID) async -> Bool { addresses.contains(peer.bare) }
}

@Suite("Disclosure of presence", .timeLimit(.minutes(5)))
struct PresenceDisclosureTests {
    private static func question(_ id: String, from sender: String) -> String {
        "<iq type='get' id='\(id)' from='\(sender)'><question xmlns='urn:example:question'>x</question></iq>"
    }

    @Test("a stranger's request gets the response of the server for an address that does not exist")
    func strangers() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        configuration.add { _ in Contacts(addresses: []) }
        try await Client(configuration).run { session in
            for (id, stanza) in [
                ("handled", Self.question("handled", from: "spy@evil.test/x")),
                ("unhandled", "<iq type='set' id='unhandled' from='spy@evil.test/x'><q xmlns='u'/></iq>"),
                ("empty", "<iq type='get' id='empty' from='spy@evil.test/x'/>"),
            ] {
                try await server.send(stanza, to: "alice")
                let answer = try IQ(from: await server.next { $0["id"] == id })
                #expect(answer.error == MemoryServer.absence)
                #expect(Array(answer.payloads).count == 1)
            }
            // The server was queried once.
            let asked = await server.received.filter { $0["to"]?.contains("absent-") == true }
            #expect(asked.count == 1)
        }
    }

    @Test("contacts, our own account and its server get a response")
    func admitted() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        let bob = try JID("bob@xmpp.test")
        configuration.add { _ in Contacts(addresses: [bob]) }
        try await Client(configuration).run { session in
            for (number, sender) in ["bob@xmpp.test/phone", "alice@xmpp.test/other", "xmpp.test"].enumerated() {
                try await server.send(Self.question("q\(number)", from: sender), to: "alice")
                #expect(await server.next { $0["id"] == "q\(number)" }["type"] == "result")
            }
            #expect(await session.follows(try JID("bob@xmpp.test/phone")))
            #expect(await !session.follows(try JID("carol@xmpp.test")))
        }
    }

    @Test("peers to which this session has written may know; directed presence counts until it is withdrawn")
    func writtenTo() async throws {
        let server = MemoryServer()
        let (carol, dave) = (try JID("carol@xmpp.test"), try JID("dave@xmpp.test/desk"))
        try await Client(try server.account("alice")).run { session in
            #expect(await !session.mayLearnPresence(carol))
            try await session.send(Message(to: carol, type: .chat))
            #expect(await !session.mayLearnPresence(carol), "Only a text is a conversation.")
            try await session.send(.chat(to: carol, body: "hello"))
            #expect(await session.mayLearnPresence(try JID("carol@xmpp.test/phone")))

            try await session.send(Presence(to: dave))
            #expect(await session.mayLearnPresence(dave))
            #expect(await !session.mayLearnPresence(try JID("dave@xmpp.test/phone")))
            try await session.send(Presence(type: .unavailable, to: dave))
            #expect(await !session.mayLearnPresence(dave))
        }
    }

    @Test("a flood of strangers is remembered only up to a limit")
    func flood() throws {
        var acquaintances = ContactedAddresses()
        for number in 0..<(ContactedAddresses.limit + 10) {
            acquaintances.sent(.message(.chat(to: try JID("p\(number)@xmpp.test"), body: "x")))
        }
        #expect(!acquaintances.contains(try JID("p9@xmpp.test")))
        #expect(acquaintances.contains(try JID("p10@xmpp.test/r")))
    }
}
