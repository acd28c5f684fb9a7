import ChatStore
import Testing
import XMPPAddress

@Suite("Both stores: one message, one row")
struct RecognitionTests {
    @Test("copies with the same archive id are one message", arguments: StoreKind.allCases)
    func archiveName(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let first = try await store.receive(.text("one", archived: "1", at: 1))
        #expect(try await store.receive(.text("one", archived: "1", at: 5, route: .carbon)) == .known(first.id))
        #expect(try await store.bodies() == ["one"])
    }

    @Test("the same id from another archive is another message", arguments: StoreKind.allCases)
    func archiveScope(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("one", archived: "1", at: 1))
        try await store.receive(.text("two", archived: "1", by: .balcony, at: 2))
        #expect(try await store.bodies() == ["one", "two"])
    }

    @Test(
        "copies with the same origin-id and sender are one message, even if the archive has both",
        arguments: StoreKind.allCases)
    func originID(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let first = try await store.receive(.text("one", origin: "o", archived: "1", at: 1))
        #expect(try await store.receive(.text("one", origin: "o", archived: "2", at: 9)) == .known(first.id))
        // Both archive ids now identify it.
        #expect(try await store.receive(.text("one", archived: "2", at: 9)) == .known(first.id))
    }

    @Test("an id that the sender chose does not suffice", arguments: StoreKind.allCases)
    func senderChosen(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("one", id: "1", archived: "a", at: 1))
        try await store.receive(.text("two", id: "1", archived: "b", at: 2))
        try await store.receive(.text("two", id: "1", archived: "c", at: 3))
        #expect(try await store.bodies() == ["one", "two", "two"])
        // The same origin-id from another sender is another message.
        try await store.receive(.text("in a room", from: .romeoInBalcony, origin: "o", at: 1), in: store.balcony)
        try await store.receive(.text("in a room", from: .nurseInBalcony, origin: "o", at: 2), in: store.balcony)
        #expect(try await store.bodies(store.balcony).count == 2)
    }

    @Test("without origin-id, the id, sender and content together suffice", arguments: StoreKind.allCases)
    func withoutOrigin(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let first = try await store.receive(.text("one", id: "1", at: 1))
        #expect(try await store.receive(.text("one", id: "1", archived: "a", at: 2)) == .known(first.id))
        #expect(try await store.bodies() == ["one"])
    }

    @Test("an occupant is recognised by the occupant id, not by the nickname", arguments: StoreKind.allCases)
    func occupants(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.receive(.text("hi", from: .romeoInBalcony, origin: "o", at: 1, occupant: "r"), in: key)
        // Another occupant with this nickname, and the same occupant with another one.
        try await store.receive(.text("hi", from: .romeoInBalcony, origin: "o", at: 2, occupant: "x"), in: key)
        try await store.receive(.text("hi", from: .nurseInBalcony, origin: "o", at: 3, occupant: "r"), in: key)
        #expect(try await store.bodies(key).count == 2)
    }

    @Test("two accounts in one room have separate rows", arguments: StoreKind.allCases)
    func accounts(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let other = try await store.store.write { store throws(StoreError) in try store.addAccount(.tybalt) }
        let there = ConversationKey(account: other, address: .balcony, kind: .room)
        let copy = MessageCopy.text("hi", from: .romeoInBalcony, origin: "o", archived: "1", by: .balcony, at: 1)
        try await store.receive(copy, in: store.balcony)
        try await store.receive(copy, in: there)
        #expect(try await store.bodies(store.balcony) == ["hi"])
        #expect(try await store.bodies(there) == ["hi"])
    }

    @Test(
        "S1-34: our message and its reflection, carbon and archive copy are one message", arguments: StoreKind.allCases)
    func reflection(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await store.send("hello", id: "o", at: 1, in: store.balcony)
        let copy = MessageCopy.text(
            "hello", from: .julietInBalcony, origin: "o", archived: "7", by: .balcony, at: 2, isOutgoing: true,
            route: .reflection)
        #expect(try await store.receive(copy, in: store.balcony) == .known(id))
        #expect(try await store.timeline(store.balcony).map(\.state) == [.sentToServer])
        let account = store.account
        #expect(try await store.store.read { store throws(StoreError) in try store.sendQueue(of: account) }.isEmpty)
        try await store.receive(
            StoredArchivePage(
                archive: .balcony, query: StoredArchiveQuery(.backward),
                items: [ArchiveItem(id: "7", time: .at(3), content: .message(copy, in: store.balcony))],
                isComplete: true))
        let page = try await store.timeline(store.balcony)
        #expect(page.map(\.time) == [.at(3)])
        #expect(page.map(\.timeSource) == [.archive])
    }

    @Test(
        "a message that was written before the nickname in the room was known is of the occupant that has sent it",
        arguments: StoreKind.allCases, [MessageCopy.Route.reflection, .archive])
    func laterNickname(kind: StoreKind, route: MessageCopy.Route) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.store.write { writer throws(StoreError) in
            let message = OutgoingMessage(
                sender: .juliet, originID: "o", time: .at(1), content: .text(MessageText("hello")))
            _ = try writer.send(message, in: key)
        }
        let copy = MessageCopy.text(
            "hello", from: .julietInBalcony, origin: "o", archived: "7", by: .balcony, at: 2, isOutgoing: true,
            route: route)
        try await store.receive(copy, in: key)
        #expect(try await store.timeline(key).map(\.sender) == [.julietInBalcony])
    }

    @Test("a clock that was set back does not sort new messages before old ones", arguments: StoreKind.allCases)
    func clock(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("one", origin: "a", at: 100))
        try await store.receive(.text("two", origin: "b", at: 50))
        try await store.receive(.text("three", origin: "c", at: 50))
        #expect(try await store.bodies() == ["one", "two", "three"])
        #expect(try await store.timeline().map(\.time) == [.at(100), .at(50), .at(50)])
    }

    @Test("an origin-id can only be used once", arguments: StoreKind.allCases)
    func sendTwice(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        _ = try await store.send("one", id: "o", at: 1)
        await #expect(throws: StoreError.self) { _ = try await store.send("two", id: "o", at: 2) }
        #expect(try await store.bodies() == ["one"])
    }
}
