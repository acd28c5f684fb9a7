import ChatStore
import Testing
import XMPPAddress

@Suite("Both stores: order")
struct OrderTests {
    static func time(_ milliseconds: Int64) -> MessageTime { MessageTime(millisecondsSince1970: milliseconds) }

    static func write(_ body: String, at milliseconds: Int64, in key: ConversationKey, _ store: TestStore) async throws
    {
        let room = try JID("balcony@rooms.example.com/juliet")
        try await store.store.write { writer throws(StoreError) in
            _ = try writer.send(
                OutgoingMessage(
                    sender: key.kind == .room ? room : .juliet, originID: body, time: time(milliseconds),
                    content: .text(MessageText(body))), in: key)
        }
    }

    @Test(
        "messages written one after another stay in order if only some of them are in the archive",
        arguments: StoreKind.allCases)
    func partlyArchived(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.romeo
        for number in 0..<4 { try await Self.write("\(number)", at: Int64(1000 + number), in: key, store) }
        try await store.store.write { writer throws(StoreError) in
            for number in 0..<2 {
                let copy = MessageCopy(
                    route: .archive, sender: .juliet, isOutgoing: true, wireID: "\(number)", originID: "\(number)",
                    archiveReferences: [ArchiveReference(archive: .juliet, id: "a\(number)")],
                    time: Self.time(Int64(60_000 + number * 500)), timeSource: .archive,
                    content: .text(MessageText("\(number)")))
                _ = try writer.receive(copy, in: key)
            }
        }
        #expect(try await store.bodies(key) == ["0", "1", "2", "3"])
    }

    @Test(
        "messages written one after another stay in order if a later one is found in the archive at an earlier time",
        arguments: StoreKind.allCases)
    func archivedEarlier(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.romeo
        for number in 0..<5 { try await Self.write("\(number)", at: Int64(60_100 + number), in: key, store) }
        // The server has whole seconds, and its archive has the second and the fourth message only.
        var items: [ArchiveItem] = []
        for number in [1, 3] {
            let copy = MessageCopy(
                route: .archive, sender: .juliet, isOutgoing: true, wireID: "\(number)", originID: "\(number)",
                time: Self.time(60_000), timeSource: .archive, content: .text(MessageText("\(number)")))
            items.append(ArchiveItem(id: "a\(number)", time: copy.time, content: .message(copy, in: key)))
            try await store.receive(
                StoredArchivePage(
                    archive: .juliet, query: StoredArchiveQuery(.backward), items: items, isComplete: true))
            #expect(try await store.bodies(key) == ["0", "1", "2", "3", "4"])
        }
    }

    @Test("a time stamp in seconds does not move a message before an earlier one", arguments: StoreKind.allCases)
    func wholeSeconds(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.romeo
        try await store.store.write { writer throws(StoreError) in
            for (body, milliseconds, source) in [
                ("0", Int64(10_700), TimeSource.clock), ("1", 10_000, .delay), ("2", 10_000, .delay),
                ("long ago", 9000, .delay),
            ] {
                let copy = MessageCopy(
                    route: .live, sender: key.address, originID: body, time: Self.time(milliseconds),
                    timeSource: source,
                    content: .text(MessageText(body)))
                _ = try writer.receive(copy, in: key)
            }
        }
        #expect(try await store.bodies(key) == ["long ago", "0", "1", "2"])
    }

    @Test("in a room a message is at the position at which the room sent it back", arguments: StoreKind.allCases)
    func reflection(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        let juliet = try JID("balcony@rooms.example.com/juliet")
        try await Self.write("mine", at: 1000, in: key, store)
        try await Self.write("mine too", at: 1001, in: key, store)
        try await store.store.write { writer throws(StoreError) in
            for (body, isOutgoing) in [("theirs", false), ("mine", true), ("mine too", true)] {
                let copy = MessageCopy(
                    route: isOutgoing ? .reflection : .live, sender: isOutgoing ? juliet : .nurseInBalcony,
                    isOutgoing: isOutgoing, originID: body, time: Self.time(2000), content: .text(MessageText(body)))
                _ = try writer.receive(copy, in: key)
            }
        }
        let bodies = try await store.bodies(key)
        #expect(bodies == ["theirs", "mine", "mine too"])
    }

    /// The receiver's archive after a server lost the first of two messages and received it again.
    private static func repeated(_ store: TestStore) -> [MessageCopy] {
        var first = MessageCopy.text("first", origin: "a", archived: "9", at: 90)
        first.firstSent = .at(10)
        return [MessageCopy.text("second", origin: "b", archived: "2", at: 20), first]
    }

    @Test(
        "a message that is sent again is at the time of its first sending, whichever way it arrives",
        arguments: StoreKind.allCases)
    func repetition(kind: StoreKind) async throws {
        for order in [[0, 1], [1, 0], [0, 1, 1], [1, 0, 1]] {
            for isArchived in [false, true] {
                let store = try await TestStore(kind)
                let copies = Self.repeated(store)
                for index in order { try await store.receive(copies[index]) }
                if isArchived {
                    let items = copies.map { copy in
                        ArchiveItem(
                            id: copy.archiveReferences[0].id, time: copy.time, content: .message(copy, in: store.romeo))
                    }
                    let page = StoredArchivePage(
                        archive: .juliet, query: StoredArchiveQuery(.backward), items: items, isComplete: true)
                    for _ in 0..<2 { try await store.receive(page) }
                }
                #expect(try await store.bodies() == ["first", "second"])
                if isArchived { #expect(try await store.timeline().first?.time == .at(10)) }
            }
        }
    }

    @Test(
        "no sender can move a message before the read position, or far into the past", arguments: StoreKind.allCases)
    func repetitionBehindTheReader(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let copies = Self.repeated(store)
        let second = try await store.receive(copies[0]).id
        try await store.store.write { writer throws(StoreError) in try writer.markRead(upTo: second) }
        try await store.receive(copies[1])
        #expect(try await store.bodies() == ["second", "first"])
        #expect(try await store.conversation()?.unreadCount == 1)
        var old = MessageCopy.text("old", origin: "old", at: 8 * 24 * 3600)
        old.firstSent = .at(30)
        try await store.receive(old)
        #expect(try await store.bodies() == ["second", "first", "old"])
    }
}
