import ChatStore
import MessageSemantics
import Testing
import XMPPAddress

@Suite("Both stores: permissions")
struct AuthorshipTests {
    private static let first = TargetReference.archived(ArchiveReference(archive: .balcony, id: "1"))
    private static let contents: [MessageContent] = [
        .correction(of: .sent(id: "a"), MessageText("forged")), .retraction(of: first),
    ]

    /// A message of Romeo in the room, followed by a change to it.
    private func act(
        _ kind: StoreKind, occupant: String?, stay: Int64?, on target: (occupant: String?, stay: Int64?),
        from sender: JID = .romeoInBalcony, _ content: MessageContent
    ) async throws -> [StoredMessage] {
        let store = try await TestStore(kind)
        try await store.receive(
            .text(
                "mine", from: .romeoInBalcony, origin: "a", archived: "1", by: .balcony, at: 1,
                occupant: target.occupant,
                stay: target.stay), in: store.balcony)
        try await store.receive(
            .with(
                content, from: sender, origin: "b", archived: "2", by: .balcony, at: 2, occupant: occupant, stay: stay),
            in: store.balcony)
        return try await store.timeline(store.balcony)
    }

    @Test(
        "N1: an occupant that took over a nickname cannot correct or retract messages of the previous one",
        arguments: StoreKind.allCases
    )
    func takenNickname(kind: StoreKind) async throws {
        for content in Self.contents {
            // Another stay; no stay, as after a restart or from an archive; an occupant id on one side only.
            for (occupant, stay, target) in [
                (nil, 2, (nil, 1)), (nil, nil, (nil, 1)), (nil, 2, (nil, nil)), (nil, nil, (nil, nil)),
                ("x", nil, (nil, 1)), (nil, 1, ("r", 1)), ("x", nil, ("r", nil)),
            ] as [(String?, Int64?, (occupant: String?, stay: Int64?))] {
                let message = try #require(
                    try await act(kind, occupant: occupant, stay: stay, on: target, content).first)
                #expect(message.text.body == "mine" && message.editTime == nil && !message.isRetracted)
            }
        }
    }

    @Test(
        "the same occupant can correct and retract, identified by its id or within one stay",
        arguments: StoreKind.allCases)
    func sameOccupant(kind: StoreKind) async throws {
        for content in Self.contents {
            for (occupant, stay, sender) in [
                ("r", nil, JID.romeoInBalcony), ("r", nil, .nurseInBalcony), (nil, 1, .romeoInBalcony),
            ] as [(String?, Int64?, JID)] {
                let messages = try await act(
                    kind, occupant: occupant, stay: stay, on: (occupant, stay), from: sender, content)
                #expect(messages.count == 1)
                #expect(messages[0].isRetracted || messages[0].text.body == "forged")
            }
        }
    }

    @Test(
        "a correction without proof of its author is stored once, as a separate message", arguments: StoreKind.allCases)
    func unprovedCorrection(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.receive(.text("one", from: .romeoInBalcony, origin: "a", at: 1), in: key)
        for _ in 0..<2 {
            try await store.receive(
                .with(
                    .correction(of: .sent(id: "a"), MessageText("two")), from: .romeoInBalcony, origin: "b", at: 2,
                    route: .archive), in: key)
        }
        #expect(try await store.bodies(key) == ["one", "two"])
    }

    @Test(
        "this device can correct every message that counts as ours, including those of earlier versions",
        arguments: StoreKind.allCases)
    func own(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.receive(
            .text("old", from: .julietInBalcony, origin: "a", at: 1, isOutgoing: true, route: .reflection), in: key)
        try await store.store.write { writer throws(StoreError) in
            _ = try writer.send(
                OutgoingMessage(
                    sender: .julietInBalcony, originID: "b", time: .at(2),
                    content: .correction(of: .sent(id: "a"), MessageText("new"))), in: key)
        }
        #expect(try await store.bodies(key) == ["new"])
        // An occupant that takes our nickname in our absence cannot.
        try await store.receive(
            .with(
                .retraction(of: .sent(id: "a")), from: .julietInBalcony, origin: "c", at: 3, isOutgoing: true,
                route: .archive), in: key)
        #expect(try await store.timeline(key).map(\.isRetracted) == [false])
    }

    @Test("the sender of a copy does not become the author of the message", arguments: StoreKind.allCases)
    func copiedIdentifier(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.receive(.text("mine", from: .romeoInBalcony, origin: "a", at: 1), in: key)
        try await store.receive(.text("mine", from: .romeoInBalcony, origin: "a", at: 2, occupant: "x"), in: key)
        try await store.receive(
            .with(.retraction(of: .sent(id: "a")), from: .romeoInBalcony, origin: "r", at: 3, occupant: "x"), in: key)
        #expect(try await store.timeline(key).allSatisfy { !$0.isRetracted })
    }

    @Test("N3: a copied archive id of another conversation is ignored", arguments: StoreKind.allCases)
    func copiedName(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let tybalt = ConversationKey(account: store.account, address: .tybalt, kind: .direct)
        try await store.receive(.text("genuine", origin: "a", archived: "1", at: 1))
        try await store.receive(.text("copied", from: .tybalt, id: "t", archived: "1", at: 2), in: tybalt)
        #expect(try await store.bodies() == ["genuine"])
        #expect(try await store.bodies(tybalt) == ["copied"])
        #expect(try await store.timeline(tybalt).map(\.archiveReference) == [nil])
    }

    @Test(
        "M1–M4: the archive of a room changes no other conversation, and its page proves only its own interval",
        arguments: StoreKind.allCases)
    func hostileArchive(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("genuine", origin: "a", at: 1))
        let contents: [ArchiveItem.Content] = [
            .message(.text("forged", origin: "f", at: 2), in: store.romeo),
            .message(.text("forged", from: .juliet, origin: "g", at: 2, isOutgoing: true), in: store.romeo),
            .message(.with(.retraction(of: .sent(id: "a")), origin: "h", at: 2), in: store.romeo),
            .message(
                .with(.correction(of: .sent(id: "a"), MessageText("forged")), origin: "i", at: 2), in: store.romeo),
            .message(.text("forged", origin: "j", at: 2), in: store.balcony),
            .report(StateReport(.displayed, target: .sent(id: "a"), sender: .romeo), in: store.romeo),
            .message(.text("said", from: .nurseInBalcony, origin: "k", at: 2), in: store.balcony),
        ]
        let items = contents.enumerated().map {
            ArchiveItem(id: "\($0.offset)", time: .at(Int64($0.offset)), content: $0.element)
        }
        try await store.receive(
            StoredArchivePage(archive: .balcony, query: StoredArchiveQuery(.backward), items: items, isComplete: true))
        #expect(try await store.bodies() == ["genuine"])
        #expect(try await store.timeline().map(\.isRetracted) == [false])
        #expect(try await store.bodies(store.balcony) == ["said"])
        let account = store.account
        let intervals = try await store.store.read { store throws(StoreError) in
            try store.archiveIntervals(of: .balcony, with: nil, account: account)
        }
        #expect(intervals.map(\.first.id) == ["0"] && intervals.map(\.last.id) == ["6"])
        // Our own archive does not let one contact write in another's conversation either.
        try await store.receive(
            StoredArchivePage(
                archive: .juliet, query: StoredArchiveQuery(.backward),
                items: [
                    ArchiveItem(
                        id: "x", time: .at(9), content: .message(.text("forged", from: .tybalt, at: 9), in: store.romeo)
                    )
                ], isComplete: true))
        #expect(try await store.bodies() == ["genuine"])
    }

    @Test("D3: a delay stamp never moves messages of others before the read position", arguments: StoreKind.allCases)
    func backdated(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let read = try await store.receive(.text("read", origin: "a", at: 10)).id
        try await store.store.write { store throws(StoreError) in try store.markRead(upTo: read) }
        for (number, time) in [5, 12].enumerated() {
            var copy = MessageCopy.text("late \(number)", origin: "b\(number)", at: Int64(time), source: .delay)
            copy.arrival = .at(20)
            try await store.receive(copy)
        }
        #expect(try await store.timeline().map(\.time) == [.at(10), .at(12), .at(20)])
        #expect(try await store.conversation()?.unreadCount == 2)
    }
}
