import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@testable import ChatModel

@MainActor
@Suite("The protection of messages in a timeline")
struct TimelineProtectionTests {
    private let scheme = "urn:xmpp:omemo:2"

    private func receive(
        _ body: String, _ protection: MessageProtection, at seconds: Int64, in fixture: ModelFixture,
        isOutgoing: Bool = false
    ) async throws {
        let (key, juliet, time) = (fixture.key, fixture.juliet, ModelFixture.time(seconds))
        try await fixture.store.write { store throws(StoreError) in
            let message = try store.receive(
                MessageCopy(
                    route: isOutgoing ? .carbon : .live, sender: isOutgoing ? juliet : key.address,
                    isOutgoing: isOutgoing, wireID: body, originID: body, time: time,
                    content: .text(MessageText(body)), protection: protection), in: key)
            try store.markRead(upTo: message.id)
        }
    }

    private func note(_ kind: ConversationNotice.Kind, at seconds: Int64, in fixture: ModelFixture) async throws {
        let (key, time) = (fixture.key, ModelFixture.time(seconds))
        let named = ConversationNotice.Key(key.address, device: 12, fingerprint: String(repeating: "a", count: 64))
        try await fixture.store.write { store throws(StoreError) in
            try store.save(
                ProtectionChange(
                    [],
                    notices: [
                        ConversationNotice(
                            kind, in: key.conversation, at: time,
                            key: kind == .began || kind == .ended ? nil : named)
                    ]), of: key.account)
        }
    }

    private func marks(_ timeline: Timeline) -> [ProtectionMark?] {
        timeline.items.elements.compactMap(\.message).map(\.mark)
    }

    @Test("where nothing was encrypted no message has a mark")
    func clear() async throws {
        let fixture = try await ModelFixture()
        try await receive("one", .none, at: 1, in: fixture)
        let timeline = fixture.timeline()
        await timeline.open()
        #expect(marks(timeline) == [nil])
    }

    @Test("marks say how each message was protected, and clear text after an encrypted message is marked")
    func kinds() async throws {
        let fixture = try await ModelFixture()
        try await receive("clear", .none, at: 1, in: fixture)
        for (index, trust) in [DeviceTrust.trusted, .verified, .undecided, .distrusted].enumerated() {
            try await receive(
                "\(trust)", .encrypted(scheme: scheme, device: nil, trust: trust), at: Int64(2 + index), in: fixture)
        }
        try await receive(
            "own", .encrypted(scheme: scheme, device: nil, trust: .verified), at: 6, in: fixture, isOutgoing: true)
        try await receive("lost", .notOpened(scheme: scheme, reason: "key-missing"), at: 7, in: fixture)
        try await receive("clear again", .none, at: 8, in: fixture)
        let timeline = fixture.timeline()
        await timeline.open()
        #expect(
            marks(timeline) == [
                nil, .encrypted, .verified, .untrusted, .untrusted, .encrypted, .notOpened, .clear,
            ])
    }

    @Test("clear text is also marked when the encrypted messages are not loaded")
    func farAway() async throws {
        let fixture = try await ModelFixture()
        try await receive("first", .encrypted(scheme: scheme, device: nil, trust: .trusted), at: 1, in: fixture)
        try await note(.began, at: 1, in: fixture)
        for index in 2..<40 { try await receive("clear \(index)", .none, at: Int64(index), in: fixture) }
        let timeline = fixture.timeline(pageSize: 4)
        await timeline.open()
        #expect(timeline.messages.count < 10)
        #expect(marks(timeline).allSatisfy { $0 == .clear })
    }

    @Test("a notice is shown at its time, ends a group, and is told from the other rows")
    func notices() async throws {
        let fixture = try await ModelFixture()
        try await receive("one", .none, at: 1, in: fixture)
        try await note(.began, at: 2, in: fixture)
        try await receive("two", .encrypted(scheme: scheme, device: nil, trust: .trusted), at: 3, in: fixture)
        try await note(.changedKey, at: 86_403, in: fixture)
        let timeline = fixture.timeline()
        await timeline.open()
        #expect(
            timeline.sketch == [
                "2026-11-1", "one", "notice began", "two", "2026-11-2", "notice changed-key",
            ])
        let messages = timeline.items.elements.compactMap(\.message)
        #expect(messages.allSatisfy { $0.beginsGroup && $0.endsGroup })
        let notices = timeline.items.elements.compactMap { item -> TimelineNotice? in
            if case .notice(let notice) = item { notice } else { nil }
        }
        #expect(notices.last?.device == 12)
        #expect(
            notices.map { Wording.notice($0) } == [
                "Messages are encrypted from here on",
                "The key of a device of romeo has changed. Nothing is encrypted for it until you decide.",
            ])
        #expect(fixture.reports.all.isEmpty)
    }

    @Test("encryption begins above the first of our messages that was encrypted, which was written before that")
    func began() async throws {
        let fixture = try await ModelFixture()
        let sealed = MessageProtection.encrypted(scheme: scheme, device: nil, trust: .verified)
        try await receive("clear", .none, at: 1, in: fixture, isOutgoing: true)
        try await receive("one", sealed, at: 2, in: fixture, isOutgoing: true)
        try await note(.began, at: 3, in: fixture)
        try await receive("two", sealed, at: 4, in: fixture, isOutgoing: true)
        let timeline = fixture.timeline()
        await timeline.open()
        #expect(timeline.sketch == ["2026-11-1", "clear", "notice began", "one", "two"])
        let messages = timeline.items.elements.compactMap(\.message)
        #expect(messages.allSatisfy { $0.beginsGroup && $0.endsGroup })
    }

    @Test("what a contact answered stands in the conversation, with its name")
    func answers() async throws {
        let fixture = try await ModelFixture()
        try await receive("one", .none, at: 1, in: fixture)
        let (key, times) = (fixture.key, (2...4).map { ModelFixture.time(Int64($0)) })
        try await fixture.store.write { store throws(StoreError) in
            let kinds: [ConversationNotice.Kind] = [.contactDeclined, .contactAccepted, .contactEnded]
            for (kind, time) in zip(kinds, times) {
                try store.note(ConversationNotice(kind, in: key.conversation, at: time), of: key.account)
            }
        }
        try await receive("two", .none, at: 5, in: fixture)
        let timeline = fixture.timeline()
        await timeline.open()
        #expect(
            timeline.sketch == [
                "2026-11-1", "one", "notice contact-declined", "notice contact-accepted", "notice contact-ended", "two",
            ])
        #expect(
            timeline.items.elements.compactMap { item -> String? in
                if case .notice(let notice) = item { Wording.notice(notice) } else { nil }
            } == [
                "romeo declined your contact request.", "romeo accepted your contact request.",
                "romeo no longer shares status with you.",
            ])
    }

    @Test("a notice of an older page is not shown at the newest one")
    func pages() async throws {
        let fixture = try await ModelFixture()
        try await receive("zero", .none, at: 0, in: fixture)
        try await note(.began, at: 1, in: fixture)
        for index in 2..<40 { try await receive("n\(index)", .none, at: Int64(index), in: fixture) }
        let timeline = fixture.timeline(pageSize: 4)
        await timeline.open()
        #expect(!timeline.sketch.contains("notice began"))
    }

    @Test("the list of conversations and the search have the text that was decrypted")
    func decrypted() async throws {
        let fixture = try await ModelFixture()
        try await receive(
            "a rose by any other name", .encrypted(scheme: scheme, device: nil, trust: .trusted), at: 1, in: fixture)
        let list = ConversationList(store: fixture.store)
        await list.reload()
        #expect(list.rows.elements.first?.preview?.text == "a rose by any other name")
        let found = try await fixture.store.read { store throws(StoreError) in
            try store.search(SearchRequest("rose")).messages
        }
        #expect(found.map(\.text.body) == ["a rose by any other name"])
    }
}
