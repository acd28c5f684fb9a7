import ChatFixtures
import ChatStore
import ChatStoreTesting
import HongyanTesting
import MessageSemantics
import ServerFixtures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

/// The requests of an account at the start of a session, and what does not wait for them.
@Suite("The beginning of a session", .timeLimit(.minutes(20)))
struct BeginningTests {
    /// A request at the start of a session.
    enum Request: CaseIterable, CustomTestStringConvertible {
        case roster, copies, archive, blockList, bookmarks, displayedPositions, serverFeatures, endOfOfflineDelivery

        var payload: XMLName {
            switch self {
            case .roster: XMLName("query", "jabber:iq:roster")
            case .copies: XMLName("enable", "urn:xmpp:carbons:2")
            case .archive: XMLName("query", "urn:xmpp:mam:2")
            case .blockList: XMLName("blocklist", "urn:xmpp:blocking")
            case .bookmarks, .displayedPositions: XMLName("pubsub", "http://jabber.org/protocol/pubsub")
            case .serverFeatures: XMLName("query", "http://jabber.org/protocol/disco#info")
            case .endOfOfflineDelivery: XMLName("ping", "urn:xmpp:ping")
            }
        }

        var node: String? {
            switch self {
            case .bookmarks: "urn:xmpp:bookmarks:1"
            case .displayedPositions: "urn:xmpp:mds:displayed:0"
            case .roster, .copies, .archive, .blockList, .serverFeatures, .endOfOfflineDelivery: nil
            }
        }

        func isPayload(_ payload: XMLElement) -> Bool {
            payload.name == self.payload && (node == nil || payload.firstChild?["node"] == node)
        }

        func isStanza(_ stanza: XMLElement) -> Bool { stanza.firstChild.map(isPayload) ?? false }

        var testDescription: String { "\(payload)\(node.map { " \($0)" } ?? "")" }
    }

    /// Longer than any of these tests, so that code that waits for the missing response is detected.
    private static let longTimeout = Duration.seconds(3600)

    /// A connected account of Alice, on a server that does not answer these requests.
    private func withServer(
        silentAt requests: [Request],
        _ body: @Sendable (MemoryServer, MemoryStore, ChatAccount) async throws -> Void
    ) async throws {
        let server = MemoryServer()
        await server.ignore { payload in requests.contains { $0.isPayload(payload) } }
        let configuration = try server.account("alice") {
            ($0.requestTimeout, $0.startTimeout) = (Self.longTimeout, Self.longTimeout)
        }
        let store = MemoryStore()
        let address = configuration.address
        let id = try await store.write { store throws(StoreError) in try store.addAccount(address) }
        let account = ChatAccount(id, configuration: configuration, store: store)
        let running = Task { try await account.run() }
        defer { running.cancel() }
        try await body(server, store, account)
    }

    @Test("the first missed message is stored after one round trip, without a response to any other request")
    func oneRoundTrip() async throws {
        try await withServer(silentAt: Request.allCases) { server, store, account in
            var changes = store.changes().makeAsyncIterator()
            // No request was answered since the login, so this one was sent without waiting.
            let query = await server.next(where: Request.archive.isStanza)
            let (request, name) = (query["id"] ?? "", query.firstChild?["queryid"] ?? "")
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
            let key = ConversationKey(account: account.id, address: try JID("bob@xmpp.test"), kind: .direct)
            var conversation: ConversationID?
            while conversation == nil, await changes.next() != nil {
                conversation = try await store.read { store throws(StoreError) in try store.conversation(key) }
            }
            #expect(conversation != nil)
        }
    }

    @Test(
        "the archive is queried after the roster, carbons and presence, so that no message is missed in between"
    )
    func order() async throws {
        try await withServer(silentAt: Request.allCases) { server, _, _ in
            await server.next(where: Request.archive.isStanza)
            let sent = await server.received
            func place(of request: Request) -> Int? { sent.firstIndex(where: request.isStanza) }
            let query = try #require(place(of: .archive))
            let presence = try #require(sent.firstIndex { $0.name.local == "presence" })
            #expect(try #require(place(of: .roster)) < presence)
            #expect(presence < query)
            #expect(try #require(place(of: .copies)) < query)
        }
    }

    @Test("a request that is never answered delays no other", arguments: Request.allCases)
    func silence(at silent: Request) async throws {
        try await withServer(silentAt: [silent]) { server, _, account in
            let bob = try JID("bob@xmpp.test")
            _ = try await account.send(
                .text(MessageText("Honk")), in: ConversationKey(account: account.id, address: bob, kind: .direct))
            await server.wait { $0.received.contains { $0.name.local == "message" && $0["to"] == "bob@xmpp.test" } }
            for request in Request.allCases { await server.wait { $0.received.contains(where: request.isStanza) } }
            await server.wait { $0.received.contains { $0.name.local == "presence" } }
            #expect(await account.connectionState.isOnline)
        }
    }

    /// Much longer than the processing time of client and server.
    private static let latency = Duration.milliseconds(250)

    @Test(
        "over a slow connection, the first missed message is stored at most two round trips after the login",
        arguments: [ServerKind.prosody012, .prosody13, .ejabberd2301, .ejabberd2412])
    func slowLine(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let proxy = try FaultProxy(to: server.port)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server, port: proxy.port)
        // The first message of her archive.
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await romeo.write("one", to: juliet)
                try await juliet.wait(for: romeo) { $0.count == 1 }
            }
        }
        proxy.configure { $0.latency = Self.latency }
        // On a busy machine other requests add round trips to those of the archive; the fewest of some logins count.
        var fewest = Int.max
        for attempt in 1...Self.logins where fewest > 2 {
            try await romeo.whileRunning {
                try await romeo.write("missed \(attempt)", to: juliet)
                try await romeo.wait(for: juliet) { $0.allSatisfy { $0.state == .sentToServer } }
            }
            let (online, stored) = try await juliet.whileRunning {
                try await Person.waitUntilOnline([juliet])
                let online = proxy.counters.roundTrips
                try await juliet.wait(for: romeo) { $0.count == 1 + attempt }
                return (online, proxy.counters.roundTrips)
            }
            fewest = min(fewest, stored - online)
        }
        #expect(fewest <= 2)
    }

    private static let logins = 6
}
