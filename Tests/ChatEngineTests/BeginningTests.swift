import ChatStore
import HongyanTesting
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

/// What an account asks for when its session begins, and what it does not wait for.
@Suite("The beginning of a session", .timeLimit(.minutes(5)))
struct BeginningTests {
    private static let archive = XMLName("query", "urn:xmpp:mam:2")
    /// Everything that an account asks for at the beginning.
    private static let requests = [
        archive, XMLName("query", "jabber:iq:roster"), XMLName("enable", "urn:xmpp:carbons:2"),
        XMLName("query", "http://jabber.org/protocol/disco#info"), XMLName("blocklist", "urn:xmpp:blocking"),
        XMLName("pubsub", "http://jabber.org/protocol/pubsub"), XMLName("ping", "urn:xmpp:ping"),
    ]

    /// An account of Alice's at work, on a server that answers none of its requests.
    private func withSilentServer(
        _ body: @Sendable (MemoryServer, MemoryStore, AccountID) async throws -> Void
    ) async throws {
        let server = MemoryServer()
        for name in Self.requests { await server.ignore(name) }
        let configuration = try server.account("alice")
        let store = MemoryStore()
        let address = configuration.address
        let id = try await store.write { store throws(StoreError) in try store.addAccount(address) }
        let account = ChatAccount(id, configuration: configuration, store: store)
        let running = Task { try await account.run() }
        defer { running.cancel() }
        try await body(server, store, id)
    }

    @Test("the first missed message is there after one round trip, with no other request answered")
    func oneRoundTrip() async throws {
        try await withSilentServer { server, store, id in
            var changes = store.changes().makeAsyncIterator()
            // Nothing was answered since the login, so this is in the first flight.
            let query = await server.next { $0.firstChild(Self.archive) != nil }
            let (request, name) = (query["id"] ?? "", query.firstChild(Self.archive)?["queryid"] ?? "")
            try await server.send(
                """
                <message from='alice@xmpp.test'><result xmlns='urn:xmpp:mam:2' queryid='\(name)' id='a1'>\
                <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'/>\
                <message xmlns='jabber:client' type='chat' from='bob@xmpp.test/x' to='alice@xmpp.test' id='m1'>\
                <body>Honk</body></message></forwarded></result></message>\
                <iq type='result' from='alice@xmpp.test' id='\(request)'><fin xmlns='urn:xmpp:mam:2' complete='true'>\
                <set xmlns='http://jabber.org/protocol/rsm'><first index='0'>a1</first><last>a1</last><count>1</count>\
                </set></fin></iq>
                """, to: "alice")
            let key = ConversationKey(account: id, address: try JID("bob@xmpp.test"), kind: .direct)
            var conversation: ConversationID?
            while conversation == nil, await changes.next() != nil {
                conversation = try await store.read { store throws(StoreError) in try store.conversation(key) }
            }
            #expect(conversation != nil)
        }
    }

    @Test(
        "the archive is asked behind the contact list, the copies and the presence, so nothing falls between it and them"
    )
    func order() async throws {
        try await withSilentServer { server, _, _ in
            await server.next { $0.firstChild(Self.archive) != nil }
            let sent = await server.received
            func place(of name: XMLName) -> Int? { sent.firstIndex { $0.firstChild(name) != nil } }
            let query = try #require(place(of: Self.archive))
            let presence = try #require(sent.firstIndex { $0.name.local == "presence" })
            #expect(try #require(place(of: Self.requests[1])) < presence)
            #expect(presence < query)
            if let copies = place(of: Self.requests[2]) { #expect(copies < query) }
        }
    }
}
