import ChatStore
import ChatStoreTesting
import Testing
import XMPPAddress

@testable import ChatModel

@Suite("Notifications of incoming messages")
@MainActor
struct NotificationFeedTests {
    private let store = MemoryStore()
    private let home: ChatHome
    private let key: ConversationKey
    private let romeo: JID

    init() async throws {
        home = ChatHome(store: store, accountStorage: MemoryAccountStorage())
        let juliet = try JID("juliet@example.org")
        romeo = try JID("romeo@example.net")
        let id = try await store.write { store throws(StoreError) in try store.addAccount(juliet) }
        key = ConversationKey(account: id, address: romeo, kind: .direct)
    }

    private func receive(
        _ body: String, id: String? = nil, _ protection: MessageProtection = .none, hoursAgo: Int64 = 0
    ) async throws -> StoreChanges {
        let changes = store.changes()
        let time = MessageTime.now.advanced(by: -hoursAgo * 3_600_000)
        let (key, romeo) = (key, romeo)
        try await store.write { store throws(StoreError) in
            _ = try store.receive(
                MessageCopy(
                    route: .live, sender: romeo, originID: id ?? body, time: time,
                    content: .text(MessageText(body)), protection: protection), in: key)
        }
        var iterator = changes.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    @Test("“@all” of a moderator notifies where only mentions do, and says that it is for everybody")
    func everybody() async throws {
        let room = ConversationKey(account: key.account, address: try JID("balcony@rooms.example"), kind: .room)
        try await store.write { store throws(StoreError) in
            try store.update(ConversationSettings(notifications: .mentions), of: store.openConversation(room))
        }
        var asked: [String] = []
        let feed = NotificationFeed(
            store: store, preferences: home.preferences, environment: home.environment, isQuiet: { false },
            mayAddressEverybody: { key, nickname in
                asked.append(nickname)
                return key == room && nickname == "Nurse"
            }, isInFront: { _ in false })
        var announced: [MessageNotification] = []
        feed.announce = { notification, _ in announced.append(notification) }
        await feed.readBeginning()
        for (nickname, body) in [("Tybalt", "@all fight"), ("Nurse", "dinner"), ("Nurse", "@here dinner")] {
            let changes = store.changes()
            let sender = try JID("balcony@rooms.example/\(nickname)")
            try await store.write { store throws(StoreError) in
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: sender, originID: body, time: .now, content: .text(MessageText(body))),
                    in: room)
            }
            var iterator = changes.makeAsyncIterator()
            await feed.apply(try #require(await iterator.next()))
        }
        #expect(announced.map(\.preview?.text) == ["@here dinner"])
        #expect(announced.map(\.isForEverybody) == [true])
        // The room is asked only where it matters.
        #expect(asked == ["Tybalt", "Nurse"])
    }

    @Test("a message notifies once, with its text; not when visible, muted or disabled")
    func announce() async throws {
        var isInFront = false
        let feed = NotificationFeed(home) { _ in isInFront }
        var announced: [String?] = []
        var withdrawn = 0
        feed.announce = { notification, _ in announced.append(notification.preview?.text) }
        feed.withdraw = { _ in withdrawn += 1 }
        _ = try await receive("before the start")
        await feed.readBeginning()
        let first = try await receive("one")
        await feed.apply(first)
        await feed.apply(first)
        #expect(announced == ["one"])
        await feed.apply(try await receive("long ago", hoursAgo: 30))
        #expect(announced == ["one"], "what is a day old is no news")
        isInFront = true
        await feed.apply(try await receive("two"))
        isInFront = false
        await home.show(.doNotDisturb, saying: nil)
        await feed.apply(try await receive("three"))
        await home.show(.available, saying: nil)
        home.preferences.values.showsNotifications = false
        await feed.apply(try await receive("four"))
        #expect(announced == ["one"])
        home.preferences.values.showsNotifications = true
        home.preferences.values.showsTextInNotifications = false
        await feed.apply(try await receive("five"))
        #expect(announced == ["one", nil])

        let changes = store.changes()
        let key = key
        try await store.write { store throws(StoreError) in
            guard let id = try store.conversation(key), let last = try store.conversation(id)?.lastMessage else {
                return
            }
            try store.markRead(upTo: last.id)
        }
        var iterator = changes.makeAsyncIterator()
        await feed.apply(try #require(await iterator.next()))
        #expect(withdrawn == 1)
    }

    @Test("a message that could not be decrypted notifies once more with its text, when its copy is here")
    func copy() async throws {
        let feed = NotificationFeed(home) { _ in false }
        var announced: [String?] = []
        feed.announce = { notification, _ in announced.append(notification.preview?.text) }
        await feed.readBeginning()
        let scheme = "urn:xmpp:omemo:2"
        let lost = try await receive("", id: "m1", .notOpened(scheme: scheme, reason: "requested"))
        for _ in 1...2 { await feed.apply(lost) }
        #expect(announced.count == 1)
        let protection = MessageProtection.encrypted(scheme: scheme, device: nil, trust: .trusted)
        let found = try await receive("one", id: "m1", protection)
        for _ in 1...2 { await feed.apply(found) }
        #expect(announced.count == 2 && announced.last == "one")
    }
}
