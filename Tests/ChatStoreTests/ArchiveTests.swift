import ChatStore
import Testing
import XMPPAddress

@Suite("Both stores: archives")
struct ArchiveTests {
    private func page(
        _ store: TestStore, _ range: ClosedRange<Int>, _ query: StoredArchiveQuery, isComplete: Bool = false
    ) -> StoredArchivePage {
        StoredArchivePage(
            archive: .juliet, query: query,
            items: range.map { number in
                // Ten per second, as archives with time stamps in seconds have them.
                ArchiveItem(
                    id: "\(number)", time: .at(Int64(number / 10)),
                    content: .message(.text("\(number)", origin: "o\(number)", at: 0), in: store.romeo))
            }, isComplete: isComplete)
    }

    @Test("pages from the newest backward have the archive's order within a second", arguments: StoreKind.allCases)
    func backward(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(page(store, 23...29, StoredArchiveQuery(.backward)))
        try await store.receive(page(store, 14...22, StoredArchiveQuery(.backward, anchor: "23")))
        try await store.receive(page(store, 1...13, StoredArchiveQuery(.backward, anchor: "14"), isComplete: true))
        #expect(try await store.bodies() == (1...29).map { "\($0)" })
        #expect(try await store.timeline().allSatisfy { $0.timeSource == .archive })
        let account = store.account
        let seen = try await store.store.read { store throws(StoreError) in
            (
                try store.archiveIntervals(of: .juliet, with: nil, account: account),
                try store.archiveGaps(of: .juliet, with: nil, account: account)
            )
        }
        #expect(seen.0.map(\.first.id) == ["1"])
        #expect(seen.0.map(\.last.id) == ["29"])
        #expect(seen.0.map(\.reachesStart) == [true])
        #expect(seen.1.isEmpty)
    }

    @Test("live messages prove nothing; the gap before them remains until it is filled", arguments: StoreKind.allCases)
    func gaps(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(page(store, 1...5, StoredArchiveQuery(.forward), isComplete: true))
        try await store.receive(.text("live", origin: "live", archived: "99", at: 100))
        let account = store.account
        func ends() async throws -> [String] {
            try await store.store.read { store throws(StoreError) in
                try store.archiveIntervals(of: .juliet, with: nil, account: account).map(\.last.id)
            }
        }
        #expect(try await ends() == ["5"])
        try await store.receive(page(store, 18...20, StoredArchiveQuery(.backward)))
        let gap = try await store.store.read { store throws(StoreError) in
            try store.archiveGaps(of: .juliet, with: nil, account: account)
        }
        #expect(gap.map(\.after?.id) == ["5"])
        #expect(gap.map(\.before.id) == ["18"])
        try await store.receive(
            page(store, 6...17, StoredArchiveQuery(.forward, anchor: "5", limit: "18"), isComplete: true))
        #expect(try await ends() == ["20"])
        #expect(try await store.bodies() == (1...20).map { "\($0)" } + ["live"])
        try await store.store.write { store throws(StoreError) in
            try store.forgetIntervals(of: .juliet, account: account)
        }
        #expect(try await ends().isEmpty)
        #expect(try await store.bodies().count == 21)
    }

    @Test(
        "the intervals of one peer's messages are separate from those of the whole archive",
        arguments: StoreKind.allCases)
    func filtered(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        var narrow = page(store, 1...5, StoredArchiveQuery(.backward), isComplete: true)
        narrow.with = .romeo
        try await store.receive(narrow)
        let account = store.account
        let counts = try await store.store.read { store throws(StoreError) in
            [
                try store.archiveIntervals(of: .juliet, with: nil, account: account).count,
                try store.archiveIntervals(of: .juliet, with: .romeoPhone, account: account).count,
                try store.archiveIntervals(of: .juliet, with: .tybalt, account: account).count,
            ]
        }
        #expect(counts == [0, 1, 0])
    }

    @Test(
        "receipts in the archive are applied, and irrelevant stanzas have a position", arguments: StoreKind.allCases)
    func reports(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let mine = MessageCopy.text("mine", from: .juliet, origin: "o", at: 0, isOutgoing: true)
        let items = [
            ArchiveItem(id: "1", time: .at(1)),
            ArchiveItem(
                id: "2", time: .at(1),
                content: .report(StateReport(.delivered, target: .sent(id: "o"), sender: .romeoPhone), in: store.romeo)),
            ArchiveItem(id: "3", time: .at(2), content: .message(mine, in: store.romeo)),
        ]
        try await store.receive(
            StoredArchivePage(archive: .juliet, query: StoredArchiveQuery(.forward), items: items, isComplete: true))
        #expect(try await store.timeline().map(\.state) == [.delivered])
        let account = store.account
        let interval = try await store.store.read { store throws(StoreError) in
            try store.archiveIntervals(of: .juliet, with: nil, account: account).first
        }
        #expect(interval?.first.id == "1")
        #expect(interval?.last.id == "3")
    }

    @Test("a time stamp of a foreign archive is a delay, not the order of the room", arguments: StoreKind.allCases)
    func foreign(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let copy = MessageCopy.text("hi", from: .romeoInBalcony, origin: "o", at: 0)
        try await store.receive(
            StoredArchivePage(
                archive: .juliet, query: StoredArchiveQuery(.backward),
                items: [ArchiveItem(id: "1", time: .at(5), content: .message(copy, in: store.balcony))],
                isComplete: false))
        #expect(try await store.timeline(store.balcony).map(\.timeSource) == [.delay])
        try await store.receive(
            StoredArchivePage(
                archive: .balcony, query: StoredArchiveQuery(.backward),
                items: [ArchiveItem(id: "x", time: .at(4), content: .message(copy, in: store.balcony))],
                isComplete: false))
        let page = try await store.timeline(store.balcony)
        #expect(page.map(\.timeSource) == [.archive])
        #expect(page.map(\.time) == [.at(4)])
    }

    @Test(
        "an item of a page whose id an earlier item claims for another conversation is stored, and takes nothing from it",
        arguments: StoreKind.allCases)
    func claimedIdentifier(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let other = ConversationKey(account: store.account, address: try JID("nurse@capulet.example"), kind: .direct)
        var claiming = MessageCopy.text("claims", from: .romeoPhone, origin: "a", at: 1)
        claiming.archiveReferences = [ArchiveReference(archive: .juliet, id: "2")]
        let items = [
            ArchiveItem(id: "1", time: .at(1), content: .message(claiming, in: store.romeo)),
            ArchiveItem(
                id: "2", time: .at(2),
                content: .message(
                    .text("claimed", from: try JID("nurse@capulet.example/kitchen"), origin: "b", at: 2), in: other)),
            // A server that says one id twice.
            ArchiveItem(
                id: "2", time: .at(3),
                content: .message(.text("again", from: .romeoPhone, origin: "c", at: 3), in: store.romeo)),
        ]
        try await store.receive(
            StoredArchivePage(archive: .juliet, query: StoredArchiveQuery(.backward), items: items, isComplete: true))
        #expect(try await store.bodies(other) == ["claimed"])
        #expect(try await store.bodies().first == "claims")
    }
}
