import Foundation
import Testing
import XMPPAddress

@testable import ChatStore

@Suite("Storage that others can use")
struct StorageLimitTests {
    /// A store that has the roster: no contact in it is a stranger.
    private func makeStore(_ kind: StoreKind, contact: JID = .tybalt) async throws -> TestStore {
        let store = try await TestStore(kind)
        let account = store.account
        try await store.store.write { store throws(StoreError) in
            try store.replaceContacts([StoredContact(address: contact, subscription: .both)], version: nil, of: account)
        }
        return store
    }

    private func stranger(_ number: Int, of account: AccountID) throws -> ConversationKey {
        ConversationKey(account: account, address: try JID("s\(number)@evil.example"), kind: .direct)
    }

    /// In one transaction, like a flood.
    private func receive(_ copies: [MessageCopy], in key: ConversationKey, of store: TestStore) async throws {
        try await store.store.write { store throws(StoreError) in
            for copy in copies { _ = try store.receive(copy, in: key) }
        }
    }

    private func texts(
        _ count: Int, length: Int = 0, from sender: JID = .romeoPhone, isOutgoing: Bool = false
    ) -> [MessageCopy] {
        (0..<count).map { number in
            .text(
                "\(number) " + String(repeating: "x", count: length), from: sender, origin: "o\(number)",
                at: Int64(number), isOutgoing: isOutgoing)
        }
    }

    private func rows(_ key: ConversationKey, of store: TestStore) async throws -> [RowSize] {
        try await store.store.write { store throws(StoreError) in
            guard let storage = store as? any RecordStorage, let id = try store.conversation(key) else { return [] }
            return try storage.rowSizes(of: id, onlyWaiting: false)
        }
    }

    /// By this much a conversation can exceed its limit until it is counted again.
    private static let slack = StorageLimits.recountInterval / StorageLimits.rowBytes

    @Test("the number of a stranger's messages is limited; the newest remain", arguments: StoreKind.allCases)
    func number(kind: StoreKind) async throws {
        let store = try await makeStore(kind)
        try await receive(texts(2000), in: store.romeo, of: store)
        let bodies = try await store.timeline(limit: 3000).map(\.text.body)
        #expect((StorageLimits.strangerRows...StorageLimits.strangerRows + Self.slack).contains(bodies.count))
        #expect(bodies == (2000 - bodies.count..<2000).map { "\($0) " })
        #expect(try await store.conversation()?.unreadCount == bodies.count)
        #expect(try await store.found("1999").count == 1)
        #expect(try await store.found("17").contains("17 ") == false)
    }

    @Test(
        "the bytes of a stranger's messages are limited; the last message always remains", arguments: StoreKind.allCases
    )
    func bytes(kind: StoreKind) async throws {
        let store = try await makeStore(kind)
        try await receive(texts(60, length: 20_000), in: store.romeo, of: store)
        let sum = try await rows(store.romeo, of: store).reduce(0) { $0 + $1.bytes }
        #expect(sum > StorageLimits.strangerBytes / 2)
        #expect(sum <= StorageLimits.strangerBytes + StorageLimits.recountInterval)
        let large = MessageCopy.text(String(repeating: "y", count: 400_000), origin: "large", at: 100)
        try await receive([large], in: store.romeo, of: store)
        #expect(try await store.bodies().map(\.utf8.count) == [400_000])
    }

    @Test(
        "a contact, a peer that got a reply and a pinned conversation have no limit", arguments: StoreKind.allCases)
    func known(kind: StoreKind) async throws {
        let store = try await makeStore(kind)
        let account = store.account
        let contact = ConversationKey(account: account, address: .tybalt, kind: .direct)
        try await receive(texts(1500, from: .tybalt), in: contact, of: store)
        #expect(try await store.timeline(contact, limit: 2000).count == 1500)
        _ = try await store.send("who is it?", id: "answer", at: -1)
        try await receive(texts(1500), in: store.romeo, of: store)
        #expect(try await store.timeline(limit: 2000).count == 1501)
        let pinned = try stranger(1, of: account)
        try await store.store.write { store throws(StoreError) in
            try store.update(ConversationSettings(isPinned: true), of: store.openConversation(pinned))
        }
        try await receive(texts(1500, from: pinned.address), in: pinned, of: store)
        #expect(try await store.timeline(pinned, limit: 2000).count == 1500)
    }

    @Test("no conversation counts as one with a stranger before the roster is known", arguments: StoreKind.allCases)
    func beforeTheList(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await receive(texts(1500), in: store.romeo, of: store)
        #expect(try await store.timeline(limit: 2000).count == 1500)
    }

    @Test(
        "a page read backwards from the archive removes the oldest messages, not the newest",
        arguments: StoreKind.allCases)
    func archive(kind: StoreKind) async throws {
        let store = try await makeStore(kind)
        let key = store.romeo
        for start in stride(from: 1900, through: 0, by: -100) {
            let items = texts(2000)[start..<start + 100].enumerated().map { index, copy in
                ArchiveItem(id: "a\(start + index)", time: .at(Int64(start + index)), content: .message(copy, in: key))
            }
            try await store.receive(
                StoredArchivePage(
                    archive: .juliet,
                    query: StoredArchiveQuery(.backward, anchor: start == 1900 ? nil : "a\(start + 100)"),
                    items: items, isComplete: start == 0))
        }
        let bodies = try await store.timeline(limit: 3000).map(\.text.body)
        #expect(bodies.count <= StorageLimits.strangerRows + Self.slack)
        #expect(bodies.suffix(StorageLimits.strangerRows) == (1500..<2000).map { "\($0) " })
        let account = store.account
        let intervals = try await store.store.read { store throws(StoreError) in
            try store.archiveIntervals(of: .juliet, with: nil, account: account)
        }
        #expect(intervals.count == 1 && intervals.first?.reachesStart == true, "it is not queried again")
    }

    @Test(
        "corrections and reactions of a stranger count, and no retracted message reappears",
        arguments: StoreKind.allCases)
    func annotations(kind: StoreKind) async throws {
        let store = try await makeStore(kind)
        let first = MessageCopy.text("first", origin: "first", at: 0)
        let taken = MessageCopy.with(.retraction(of: .sent(id: "first")), origin: "r", at: 1)
        let second = MessageCopy.text("second", origin: "second", at: 2)
        let corrections = (3..<2000).map { number in
            MessageCopy.with(
                .correction(of: .sent(id: "second"), MessageText("\(number)")), origin: "c\(number)", at: Int64(number))
        }
        try await receive([first, taken, second] + corrections, in: store.romeo, of: store)
        #expect(try await rows(store.romeo, of: store).count <= StorageLimits.strangerRows + Self.slack)
        let shown = try await store.timeline()
        #expect(shown.allSatisfy { !$0.text.body.isEmpty && !$0.isRetracted })
        let retractions = (0..<2000).map { number in
            MessageCopy.with(.retraction(of: .sent(id: "second")), origin: "t\(number)", at: 2000 + Int64(number))
        }
        try await receive(retractions, in: store.romeo, of: store)
        #expect(try await rows(store.romeo, of: store).count <= StorageLimits.strangerRows + Self.slack)
        #expect(try await store.timeline().allSatisfy(\.isRetracted))
    }

    @Test(
        "the number of strangers is limited; those without recent messages are removed", arguments: StoreKind.allCases)
    func strangers(kind: StoreKind) async throws {
        let store = try await makeStore(kind)
        let account = store.account
        let count = StorageLimits.strangers * 2
        for number in 0..<count {
            let key = try stranger(number, of: account)
            try await store.receive(.text("hello", from: key.address, origin: "h", at: Int64(number)), in: key)
        }
        let listed = try await store.store.read { store throws(StoreError) in
            try store.conversations().map(\.key.address.description)
        }
        let most = StorageLimits.strangers + StorageLimits.strangerRecountInterval
        #expect((StorageLimits.strangers...most).contains(listed.count))
        #expect(listed.first == "s\(count - 1)@evil.example" && !listed.contains("s0@evil.example"))
    }

    @Test(
        "the number of corrections and reactions that wait for a message is limited; the newest remain",
        arguments: StoreKind.allCases)
    func waiting(kind: StoreKind) async throws {
        let store = try await makeStore(kind)
        let reactions = (0..<3000).map { number in
            MessageCopy.with(
                .reactions(to: .sent(id: "m\(number)"), ["👍"]), from: .nurseInBalcony, origin: "r\(number)",
                at: Int64(number), occupant: "nurse")
        }
        try await receive(reactions, in: store.balcony, of: store)
        let waiting = try await rows(store.balcony, of: store).count
        #expect((StorageLimits.waitingRows...StorageLimits.waitingRows + Self.slack).contains(waiting))
        // The newest is still applied to its message.
        try await store.receive(
            .text("at last", from: .romeoInBalcony, origin: "m2999", at: 4000, occupant: "romeo"), in: store.balcony)
        #expect(try await store.timeline(store.balcony).last?.reactions.count == 1)
        let long = (0..<100).map { number in
            MessageCopy.with(
                .correction(of: .sent(id: "n\(number)"), MessageText(String(repeating: "z", count: 50_000))),
                from: .nurseInBalcony, origin: "l\(number)", at: 5000 + Int64(number), occupant: "nurse")
        }
        try await receive(long, in: store.balcony, of: store)
        let bytes = try await rows(store.balcony, of: store).reduce(0) { $0 + $1.bytes }
        #expect(bytes <= StorageLimits.waitingBytes + StorageLimits.recountInterval)
    }

    @Test("messages that arrive one by one overwrite a short log instead of making it longer")
    func logOfLiveMessages() async throws {
        let store = try await TestStore(.file)
        guard let file = store.store as? SQLiteStore else { return }
        var sizes: Set<Int64> = []
        for number in 0..<1500 {
            try await store.receive(.text("number \(number)", origin: "o\(number)", at: Int64(number)))
            sizes.insert(StoreSettings.logBytes(of: file.path))
        }
        #expect(sizes.count < 750, "most messages were written into a log that was long enough")
        #expect(try #require(sizes.max()) <= StoreSettings.quietLogBytes)
        await file.close()
    }

    @Test("a log that grew page by page is checkpointed when there are no writes")
    func logOfPages() async throws {
        let store = try await TestStore(.file)
        guard let file = store.store as? SQLiteStore else { return }
        let batch = StoreSettings.liveMessages + 1
        var largest: Int64 = 0
        for number in 0..<200 {
            let texts = (0..<batch).map {
                MessageCopy.text("number \($0)", origin: "o\(number)/\($0)", at: Int64(number))
            }
            let key = store.romeo
            try await file.write { writer throws(StoreError) in
                for text in texts { _ = try writer.receive(text, in: key) }
            }
            largest = max(largest, StoreSettings.logBytes(of: file.path))
        }
        #expect(largest > StoreSettings.quietLogBytes, "otherwise the test proves nothing")
        try await file.finishSearchIndex()
        #expect(StoreSettings.logBytes(of: file.path) <= StoreSettings.quietLogBytes)
        await file.close()
    }
}
