import ChatFixtures
import ChatStore
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

@testable import ChatEngine

@Suite("Presence for a process that resumes a session")
@MainActor
struct PresenceRecordTests {
    private static func state(_ id: String) throws -> ResumptionState {
        ResumptionState(
            id: id, address: try JID("juliet@capulet.example/b"), handledCount: 0, acknowledgedCount: 0,
            unacknowledged: [])
    }

    private static func presence(_ attributes: String, _ content: String = "") throws -> ReceivedStanza {
        ReceivedStanza(try XMLElement(parsing: "<presence xmlns='jabber:client' \(attributes)>\(content)</presence>"))
    }

    @Test("the presence of the session is restored, and that of another session dropped")
    func remember() async throws {
        let fixture = try await ModelFixture()
        func recorder() async throws -> SessionRecorder {
            let recorder = SessionRecorder(
                store: fixture.store, account: fixture.account, address: fixture.juliet,
                now: { ModelFixture.time(10) })
            _ = try await recorder.loadSession()
            return recorder
        }
        let first = try await recorder()
        try await first.commit(
            SessionChange(
                received: [
                    Self.presence("from='romeo@montague.example/orchard'", "<show>dnd</show><status>sighing</status>"),
                    Self.presence("from='romeo@montague.example/tomb'"),
                    Self.presence("from='romeo@montague.example/tomb' type='unavailable'"),
                    Self.presence("from='paris@verona.example' type='subscribe'", "<status>my lady</status>"),
                    Self.presence("from='juliet@capulet.example/balcony'"),
                    Self.presence(
                        "from='orchard@rooms.example/Romeo'", "<x xmlns='http://jabber.org/protocol/muc#user'/>"),
                ].map { $0 }, resumption: try Self.state("one")))
        // Another process resumes the session.
        let second = try await recorder()
        let seen = await second.rememberedPresences()
        #expect(seen.map(\.from?.description) == ["paris@verona.example", "romeo@montague.example/orchard"])
        #expect(seen.map(\.type) == [.subscribe, .available])
        #expect(seen.last?.show == .doNotDisturb && seen.last?.status == "sighing")
        #expect(seen.first?.status == "my lady")
        try await second.commit(SessionChange(received: [], resumption: try Self.state("one")))
        #expect(await second.rememberedPresences().count == 2)
        // The server created a new session.
        try await second.commit(
            SessionChange(
                received: [try Self.presence("from='nurse@capulet.example/hall'")], resumption: try Self.state("two")))
        #expect(await second.rememberedPresences().map(\.from?.description) == ["nurse@capulet.example/hall"])
        // The session was closed intentionally.
        try await second.commit(SessionChange(received: [], resumption: nil))
        #expect(await second.rememberedPresences().isEmpty)
    }

    @Test("presence of strangers is not stored, and requests only up to a limit")
    func flood() async throws {
        let fixture = try await ModelFixture()
        let (account, romeo) = (fixture.account, fixture.romeo)
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: romeo, subscription: .both), of: account)
        }
        let recorder = SessionRecorder(
            store: fixture.store, account: account, address: fixture.juliet, now: { ModelFixture.time(10) })
        _ = try await recorder.loadSession()
        let text = String(repeating: "x", count: 5000)
        var received = [
            try Self.presence("from='romeo@montague.example/orchard'", "<status>\(text)</status>")
        ]
        for number in 0..<1500 {
            received.append(try Self.presence("from='s\(number)@evil.test/x'", "<status>\(text)</status>"))
            received.append(try Self.presence("from='r\(number)@evil.test' type='subscribe'"))
        }
        try await recorder.commit(SessionChange(received: received, resumption: try Self.state("one")))
        let kept = await recorder.rememberedPresences()
        let available = kept.filter { $0.type == .available }
        #expect(available.map(\.from?.description) == ["romeo@montague.example/orchard"])
        #expect(available.first?.status?.utf8.count == Presence.statusLimit)
        #expect(kept.count == 1025)
    }

    @Test(
        "requests are kept after the session until the next one, in which the server repeats them",
        arguments: [true, false])
    func requests(serverResumes: Bool) async throws {
        let fixture = try await ModelFixture()
        let recorder = SessionRecorder(
            store: fixture.store, account: fixture.account, address: fixture.juliet, now: { ModelFixture.time(10) })
        _ = try await recorder.loadSession()
        func commit(_ session: String?, _ received: String...) async throws {
            try await recorder.commit(
                SessionChange(
                    received: try received.map { try Self.presence($0) },
                    resumption: serverResumes ? try session.map(Self.state) : nil))
        }
        try await commit(
            "one", "from='romeo@montague.example/orchard'", "from='romeo@montague.example' type='subscribe'",
            "from='paris@verona.example' type='subscribe'", "from='tybalt@capulet.example' type='subscribe'",
            "from='tybalt@capulet.example' type='unsubscribe'")
        try await commit(nil)
        #expect(
            await recorder.rememberedRequests().map(\.description).sorted() == [
                "paris@verona.example", "romeo@montague.example",
            ])
        #expect(await recorder.rememberedPresences().allSatisfy { $0.type == .subscribe })
        guard serverResumes else { return }
        try await commit("two")
        try await commit("two", "from='paris@verona.example' type='subscribe'")
        try await commit(nil)
        #expect(await recorder.rememberedRequests().map(\.description) == ["paris@verona.example"])
    }
}
