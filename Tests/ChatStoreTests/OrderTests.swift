import ChatStore
import Testing
import XMPPAddress

@Suite("What both stores promise: order")
struct OrderTests {
    static func time(_ milliseconds: Int64) -> MessageTime { MessageTime(millisecondsSince1970: milliseconds) }

    static func write(_ body: String, at milliseconds: Int64, in key: ConversationKey, _ store: TestStore) async throws
    {
        let room = try JID("balcony@rooms.example.com/juliet")
        try await store.store.write { writer throws(StoreError) in
            _ = try writer.send(
                OutgoingMessage(
                    sender: key.kind == .room ? room : key.address, originID: body, time: time(milliseconds),
                    content: .text(MessageText(body))), in: key)
        }
    }

    @Test(
        "what was written in one go stays in order when only a part of it is in the archive",
        arguments: StoreKind.allCases)
    func partlyArchived(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.romeo
        for number in 0..<4 { try await Self.write("\(number)", at: Int64(1000 + number), in: key, store) }
        try await store.store.write { writer throws(StoreError) in
            for number in 0..<2 {
                let copy = MessageCopy(
                    route: .archive, sender: key.address, isOutgoing: true, wireID: "\(number)", originID: "\(number)",
                    archiveReferences: [ArchiveReference(archive: key.address, id: "a\(number)")],
                    time: Self.time(Int64(60_000 + number * 500)), timeSource: .archive,
                    content: .text(MessageText("\(number)")))
                _ = try writer.receive(copy, in: key)
            }
        }
        #expect(try await store.bodies(key) == ["0", "1", "2", "3"])
    }

    @Test("a stamp of whole seconds does not put a message before what came before it", arguments: StoreKind.allCases)
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

    @Test("in a room a message stands where the room sent it back", arguments: StoreKind.allCases)
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
}
