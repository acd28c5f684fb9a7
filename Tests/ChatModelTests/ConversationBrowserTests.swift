import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("The parts of the conversation list")
@MainActor
struct ConversationBrowserTests {
    /// Four conversations, newest first: a room, a read one, an unread one, an archived one.
    private static func sample(_ fixture: ModelFixture) async throws -> ConversationList {
        let list = ConversationList(store: fixture.store, environment: fixture.environment())
        try await fixture.receive("1", id: "1", at: 1, in: fixture.key("gone@x.example"))
        try await fixture.receive("2", id: "2", at: 2, in: fixture.key("unread@x.example"))
        let read = try await fixture.receive("3", id: "3", at: 3, in: fixture.key("read@x.example"))
        try await fixture.receive(
            "4", id: "4", at: 4, from: try JID("room@x.example/nurse"), in: fixture.key("room@x.example", .room))
        try await fixture.markRead(read)
        await list.reload()
        let gone = try #require(list.rows.elements.last)
        try await list.archive(gone.id)
        await list.reload()
        return list
    }

    private func titles(_ browser: ConversationBrowser) -> [String] { browser.rows.elements.map(\.title) }

    @Test("the archive is a place of its own; it is left when its last conversation is taken out")
    func archive() async throws {
        let fixture = try await ModelFixture()
        let list = try await Self.sample(fixture)
        let browser = ConversationBrowser(list)
        #expect(titles(browser) == ["room", "read", "unread"])
        #expect(browser.archivedCount == 1 && browser.archivedUnreadCount == 1 && browser.count == 3)
        browser.show(.archive)
        #expect(titles(browser) == ["gone"])
        try await list.archive(try #require(browser.rows.elements.first).id, false)
        await list.reload()
        #expect(browser.place == .conversations && browser.archivedCount == 0)
        #expect(titles(browser) == ["room", "read", "unread", "gone"])
    }

    @Test("filters show unread conversations, people or rooms; the open conversation stays when it is read")
    func filters() async throws {
        let fixture = try await ModelFixture()
        let list = try await Self.sample(fixture)
        let browser = ConversationBrowser(list)
        browser.show(.unread)
        #expect(titles(browser) == ["room", "unread"])
        browser.show(.people)
        #expect(titles(browser) == ["read", "unread"])
        browser.show(.rooms)
        #expect(titles(browser) == ["room"])
        #expect(browser.count == 3, "A filter does not change what there is.")
        browser.show(.unread)
        let row = try #require(browser.rows.elements.last)
        browser.show(open: row.key)
        try await list.markRead(row.id, through: nil)
        await list.reload()
        #expect(titles(browser) == ["room", "unread"])
        browser.show(open: nil)
        #expect(titles(browser) == ["room"])
    }

    @Test("the next unread conversation is the one below, and after the last one the first; muted ones come last")
    func nextUnread() async throws {
        let fixture = try await ModelFixture()
        let list = try await Self.sample(fixture)
        let browser = ConversationBrowser(list)
        let (room, unread) = (try fixture.key("room@x.example", .room), try fixture.key("unread@x.example"))
        #expect(browser.nextUnread(after: nil) == room)
        #expect(browser.nextUnread(after: room) == unread)
        #expect(browser.nextUnread(after: unread) == room)
        let id = try #require(list.all[unread]).id
        try await list.notify(id, for: .none)
        await list.reload()
        #expect(browser.nextUnread(after: try fixture.key("read@x.example")) == room)
        #expect(browser.nextUnread(after: room) == unread)
    }

    @Test("a room that the user has just created or joined is at the top of the list, and a silent one of before stays")
    func joined() async throws {
        let fixture = try await ModelFixture()
        func join(_ address: String) async throws -> (key: ConversationKey, id: ConversationID) {
            let key = try fixture.key(address, .room)
            let id = try await fixture.store.write { writer throws(StoreError) in
                try writer.save(StoredRoom(address: key.address, joinsAutomatically: true), of: key.account)
                return try writer.openConversation(key)
            }
            return (key, id)
        }
        let list = try await Self.sample(fixture)
        let silent = try await join("silent@rooms.example")
        await list.reload()
        let new = try await join("new@rooms.example")
        var changes = StoreChanges()
        changes.conversations = [new.id]
        await list.apply(changes)
        for opened in [silent, new, silent] { try await list.begin(opened.key) }
        let keys = list.rows.elements.map(\.key)
        #expect(keys.first == new.key)
        #expect(list.rows.elements.first?.time != nil && list.rows.elements.first?.preview == nil)
        #expect(keys.filter { $0 != new.key }.firstIndex(of: silent.key) == 3)
        await list.reload()
        #expect(list.rows.elements.first?.key == new.key)

        // After a restart it stands where it stood, also when a later message is above it and it is opened again.
        let other = try fixture.key("later@x.example")
        try await fixture.receive("Later", id: "later", at: 1_000_000, in: other)
        let again = ConversationList(store: fixture.store, environment: fixture.environment(now: 2_000_000))
        await again.reload()
        try await again.begin(new.key)
        let order = again.rows.elements.map(\.key)
        #expect(order.firstIndex(of: other) == 0 && order.firstIndex(of: new.key) == 1, "\(order)")
        #expect(order.filter { $0 != new.key && $0 != other } == keys.filter { $0 != new.key })
    }

    @Test("a conversation that the user has opened is in the list before anything is said, at its top, and stays there")
    func begun() async throws {
        let fixture = try await ModelFixture()
        let list = try await Self.sample(fixture)
        let key = try fixture.key("new@x.example")
        try await list.begin(key)
        #expect(list.rows.elements.first?.key == key)
        #expect(list.rows.elements.first?.time == nil)
        await list.reload()
        #expect(list.rows.elements.first?.key == key)

        // It is there after a restart, at its place, also if another one was open; and opening it does not move it.
        let other = try fixture.key("later@x.example")
        try await fixture.receive("Later", id: "later", at: 1_000_000, in: other)
        let again = ConversationList(store: fixture.store, environment: fixture.environment(now: 2_000_000))
        await again.reload()
        #expect(again.rows.elements.firstIndex { $0.key == key } == 1)
        try await again.begin(key)
        #expect(again.rows.elements.firstIndex { $0.key == key } == 1)
    }

    @Test("a draft does not hide unread messages, and the user's own messages are marked")
    func preview() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("Madam!", id: "1", at: 1)
        let id = try #require(
            try await fixture.store.write { store throws(StoreError) in
                let id = try store.conversations().first?.id
                if let id { try store.saveDraft(Draft(body: "Anon", time: ModelFixture.time(2)), in: id) }
                return id
            })
        let list = ConversationList(store: fixture.store, environment: fixture.environment())
        await list.reload()
        #expect(list.rows.elements.first?.draft == "Anon" && list.rows.elements.first?.shownDraft == nil)
        try await list.markRead(id, through: nil)
        await list.reload()
        #expect(list.rows.elements.first?.shownDraft == "Anon")
        try await fixture.receive("I come", id: "3", at: 3, isOutgoing: true)
        await list.reload()
        let last = try #require(list.rows.elements.first?.preview)
        #expect(Wording.preview(last, in: .direct) == "You: I come")
        #expect(Wording.preview(last) == "I come")
    }
}
