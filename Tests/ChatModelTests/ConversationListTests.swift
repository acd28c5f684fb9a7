import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Conversation list")
@MainActor
struct ConversationListTests {
    private static func list(_ fixture: ModelFixture) async -> ConversationList {
        let list = ConversationList(store: fixture.store, environment: fixture.environment())
        await list.reload()
        return list
    }

    @Test("S0-89: a message is one move of its row to the top, with text, sender, time and unread count")
    func message() async throws {
        let fixture = try await ModelFixture()
        let nurse = try fixture.key("nurse@capulet.example")
        try await fixture.receive("Madam!", id: "a", at: 1, in: nurse)
        try await fixture.receive("O, wilt thou leave me\nso *unsatisfied*?", id: "b", at: 2)
        _ = await fixture.changes()
        let list = await Self.list(fixture)
        let mirror = Mirror(list.rows)
        #expect(list.rows.elements.map(\.title) == ["romeo", "nurse"])
        #expect(list.rows.elements.first?.preview?.text == "O, wilt thou leave me so unsatisfied?")
        #expect(list.unreadCount == 2)

        try await fixture.receive("Anon!", id: "c", at: 3, in: nurse)
        await list.apply(await fixture.changes())
        let row = try #require(list.rows.elements.first)
        #expect(mirror.takeSteps() == [.move(from: 1, to: 0, row)])
        #expect(row.title == "nurse")
        #expect(row.unreadCount == 2)
        #expect(row.time == ModelFixture.time(3))
        #expect(row.preview?.senderName == "nurse")
        #expect(row.preview?.isOutgoing == false)
        #expect(mirror.rows == list.rows.elements)
    }

    @Test("pinned first, archived last; each action is saved")
    func sections() async throws {
        let fixture = try await ModelFixture()
        for (index, name) in ["a", "b", "c"].enumerated() {
            try await fixture.receive("x", id: name, at: Int64(index), in: fixture.key("\(name)@x.example"))
        }
        let list = await Self.list(fixture)
        let ids = Dictionary(uniqueKeysWithValues: list.rows.elements.map { ($0.title, $0.id) })
        let (a, b, c) = (try #require(ids["a"]), try #require(ids["b"]), try #require(ids["c"]))
        try await list.pin(a)
        try await list.archive(c)
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.map(\.title) == ["a", "b", "c"])
        #expect(list.rows.elements.map(\.section) == [.pinned, .others, .archived])
        #expect(list.unreadCount == 2)
        try await list.pin(c)
        try await list.pin(a, false)
        try await list.delete(b)
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.map(\.title) == ["c", "a"])
    }

    @Test("pinned conversations keep the order that the user has chosen, whatever is said in them")
    func pinnedOrder() async throws {
        let fixture = try await ModelFixture()
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            try await fixture.receive("x", id: name, at: Int64(index), in: fixture.key("\(name)@x.example"))
        }
        let list = await Self.list(fixture)
        let ids = Dictionary(uniqueKeysWithValues: list.rows.elements.map { ($0.title, $0.id) })
        let (a, b, c) = (try #require(ids["a"]), try #require(ids["b"]), try #require(ids["c"]))
        func titles() async -> [String] {
            await list.reload()
            return list.rows.elements.map(\.title)
        }
        for id in [a, b, c] {
            try await list.pin(id)
            _ = await titles()
        }
        #expect(await titles() == ["a", "b", "c", "d"])
        #expect(try await list.movePinned(c, by: -1))
        #expect(await titles() == ["a", "c", "b", "d"])
        try await fixture.receive("new", id: "n", at: 9, in: fixture.key("b@x.example"))
        #expect(await titles() == ["a", "c", "b", "d"])
        // There is no place above the first, below the last, and for one that is not pinned.
        #expect(try await !list.movePinned(a, by: -1))
        #expect(try await !list.movePinned(b, by: 1))
        #expect(try await !list.movePinned(try #require(ids["d"]), by: -1))
        #expect(try await list.movePinned(a, by: 1))
        // Another program reads the same order.
        let other = await Self.list(fixture)
        #expect(other.rows.elements.map(\.title) == ["c", "a", "b", "d"])
        // A conversation that is pinned again stands below the others.
        try await list.pin(c, false)
        _ = await titles()
        try await list.pin(c)
        #expect(await titles() == ["a", "b", "c", "d"])
        let stored = try await fixture.store.read { store throws(StoreError) in try store.conversations() }
        #expect(stored.map(\.settings.pinRank) == [0, 1, 2, nil])
        #expect(stored.prefix(3).map(\.id) == [a, b, c])
    }

    @Test("conversations that were pinned by an earlier version stand by their last message until one is moved")
    func pinnedBefore() async throws {
        let fixture = try await ModelFixture()
        for (index, name) in ["a", "b"].enumerated() {
            let key = try fixture.key("\(name)@x.example")
            try await fixture.receive("x", id: name, at: Int64(index), in: key)
            try await fixture.store.write { store throws(StoreError) in
                try store.update(ConversationSettings(isPinned: true), of: store.openConversation(key))
            }
        }
        _ = await fixture.changes()
        let list = await Self.list(fixture)
        #expect(list.rows.elements.map(\.title) == ["b", "a"])
        #expect(try await list.movePinned(list.rows.elements[1].id, by: -1))
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.map(\.title) == ["a", "b"])
    }

    @Test("marked as unread counts as one until it is read, in the list or in the conversation")
    func markedUnread() async throws {
        let fixture = try await ModelFixture()
        let last = try await fixture.receive("x", id: "a", at: 1)
        try await fixture.markRead(last)
        let list = await Self.list(fixture)
        _ = await fixture.changes()
        let id = try #require(list.rows.elements.first?.id)
        #expect(list.rows.elements.map(\.isUnread) == [false])
        func mark() async throws {
            try await list.markUnread(id)
            await list.apply(await fixture.changes())
            #expect(list.rows.elements.map(\.isUnread) == [true])
            #expect(list.rows.elements.map(\.unreadCount) == [0])
            #expect(list.unreadCount == 1)
        }
        try await mark()
        try await list.markRead(id, through: nil)
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.map(\.isUnread) == [false])
        #expect(list.unreadCount == 0)

        let timeline = Timeline(fixture.key, store: fixture.store, environment: fixture.environment())
        for _ in 0..<2 {
            try await mark()
            await timeline.open()
            try await timeline.seen(last)
            await list.apply(await fixture.changes())
            #expect(list.rows.elements.map(\.isUnread) == [false])
        }
    }

    @Test("a temporary mute ends by the clock")
    func mute() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("x", id: "a", at: 1)
        let list = await Self.list(fixture)
        let id = try #require(list.rows.elements.first?.id)
        try await list.mute(id, until: ModelFixture.time(1_000_001))
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.first?.isMuted == true)
        #expect(list.unreadCount == 0)
        let later = ConversationList(store: fixture.store, environment: fixture.environment(now: 1_000_002))
        await later.reload()
        #expect(later.rows.elements.first?.isMuted == false)
        try await list.notify(id, for: .none)
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.first?.isMuted == true)
        #expect(list.rows.elements.first?.mutedUntil == nil)
    }

    @Test("drafts, own messages, files and retracted messages have their texts")
    func lines() async throws {
        let fixture = try await ModelFixture()
        let message = try await fixture.receive(
            .text(MessageText("", attachments: [Attachment(kind: .voice, name: "voice.ogg")])), id: "a", at: 1)
        let list = await Self.list(fixture)
        #expect(list.rows.elements.first?.preview?.kind == .file(.voice))
        try await fixture.receive(.retraction(of: .sent(id: "a")), id: "r", at: 2)
        let conversation = try #require(list.rows.elements.first?.id)
        try await fixture.store.write { store throws(StoreError) in
            try store.saveDraft(
                Draft(body: "But\nsoft", time: ModelFixture.time(5)), in: conversation)
        }
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.first?.preview?.kind == .retracted)
        #expect(list.rows.elements.first?.draft == "But soft")
        try await fixture.receive("/me sighs", id: "b", at: 9, isOutgoing: true)
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.first?.preview?.kind == .action)
        #expect(list.rows.elements.first?.preview?.text == "sighs")
        #expect(list.rows.elements.first?.preview?.isOutgoing == true)
        _ = message
    }

    @Test("names come from contacts and rooms, and a new name shows at once")
    func names() async throws {
        let fixture = try await ModelFixture()
        let room = try fixture.key("balcony@rooms.example", .room)
        let (account, romeo, roomAddress) = (fixture.account, fixture.romeo, room.address)
        try await fixture.receive("x", id: "a", at: 1)
        try await fixture.receive("y", id: "b", at: 2, from: try JID("balcony@rooms.example/Tybalt"), in: room)
        let list = await Self.list(fixture)
        #expect(list.rows.elements.map(\.title) == ["balcony", "romeo"])
        #expect(list.rows.elements.first?.preview?.senderName == "Tybalt")
        _ = await fixture.changes()
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: romeo, name: "罗密欧", subscription: .both), of: account)
            try store.save(StoredRoom(address: roomAddress, name: "The balcony"), of: account)
        }
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.map(\.title) == ["The balcony", "罗密欧"])
        list.search("罗密")
        #expect(list.rows.elements.map(\.title) == ["罗密欧"])
        list.search("BALC")
        #expect(list.rows.elements.map(\.title) == ["The balcony"])
        list.search("")
        #expect(list.rows.elements.count == 2)
    }

    @Test("marking as read goes through the account, and the count decreases")
    func read() async throws {
        let fixture = try await ModelFixture()
        try await fixture.fill(0..<5)
        let list = await Self.list(fixture)
        let row = try #require(list.rows.elements.first)
        #expect(row.unreadCount == 5)
        let actions = StoreActions(store: fixture.store, own: fixture.juliet)
        try await list.markRead(row.id, through: actions)
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.first?.unreadCount == 0)
        #expect(actions.log.read.count == 1)
    }

    @Test("typing shows in the row, and only that row changes")
    func writing() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("x", id: "a", at: 1)
        try await fixture.receive("y", id: "b", at: 2, in: fixture.key("nurse@capulet.example"))
        let list = await Self.list(fixture)
        let mirror = Mirror(list.rows)
        list.showWriting([fixture.key: ["romeo"]], of: fixture.account)
        #expect(mirror.takeSteps().count == 1)
        #expect(list.rows.elements.last?.writing == ["romeo"])
        list.showWriting([:], of: fixture.account)
        #expect(list.rows.elements.last?.writing == [])
    }

    @Test("a removed account takes its conversations with it")
    func removedAccount() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("x", id: "a", at: 1)
        let list = await Self.list(fixture)
        let account = fixture.account
        try await fixture.store.write { store throws(StoreError) in try store.removeAccount(account) }
        await list.apply(await fixture.changes())
        #expect(list.rows.elements.isEmpty)
    }
}
