import Foundation
import Testing
import XMPPAddress

@testable import ChatStore

@Suite("Receipts and markers without their message")
struct PendingMarkTests {
    private func receipt(_ id: String, from sender: JID = .romeo, at time: Int64 = 1) -> StateReport {
        StateReport(.delivered, target: .sent(id: id), sender: sender, time: .at(time))
    }

    private func state(of id: String, in store: TestStore) async throws -> MessageState? {
        let message = MessageCopy.text(id, from: .juliet, origin: id, at: 1_000_000, isOutgoing: true, route: .carbon)
        try await store.receive(message)
        return try await store.timeline().first { $0.originID == id }?.state
    }

    @Test("H4: receipts of strangers for messages that do not exist are not stored", arguments: StoreKind.allCases)
    func strangers(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        for number in 0..<100 {
            let stranger = try JID("stranger\(number)@evil.example")
            let key = ConversationKey(account: account, address: stranger, kind: .direct)
            try await store.report(receipt("x\(number)", from: stranger), in: key)
            #expect(try await store.conversation(key) == nil)
        }
        let hasWaiting = try await store.store.read { store throws(StoreError) in
            try (store as? any RecordStorage)?.hasWaiting
        }
        #expect(hasWaiting == false)
    }

    @Test(
        "the number of waiting receipts in a conversation is limited, and the oldest are removed first",
        arguments: StoreKind.allCases)
    func number(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("hello", origin: "h", at: 0))
        for number in 0...PendingMark.limit { try await store.report(receipt("\(number)", at: Int64(number))) }
        #expect(try await state(of: "0", in: store) == .sentToServer)
        #expect(try await state(of: "1", in: store) == .delivered)
        #expect(try await state(of: "\(PendingMark.limit)", in: store) == .delivered)
    }

    @Test("they wait for a day", arguments: StoreKind.allCases)
    func age(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("hello", origin: "h", at: 0))
        try await store.report(receipt("old", at: 1))
        try await store.report(receipt("new", at: 86_400))
        try await store.report(receipt("newest", at: 86_402))
        #expect(try await state(of: "old", in: store) == .sentToServer)
        #expect(try await state(of: "new", in: store) == .delivered)
    }

    @Test("a conversation with nothing but waiting rows is not listed", arguments: StoreKind.allCases)
    func list(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.with(.reactions(to: .sent(id: "none"), ["🌹"]), origin: "r", at: 1))
        func listed() async throws -> [JID] {
            try await store.store.read { store throws(StoreError) in try store.conversations().map(\.key.address) }
        }
        #expect(try await listed().isEmpty)
        try await store.receive(.text("now", origin: "a", at: 2))
        #expect(try await listed() == [.romeo])
        let (account, tybalt) = (store.account, JID.tybalt)
        try await store.store.write { store throws(StoreError) in
            let key = ConversationKey(account: account, address: tybalt, kind: .direct)
            try store.saveDraft(Draft(body: "Peace?", time: .at(3)), in: store.openConversation(key))
        }
        #expect(try await listed() == [.romeo, .tybalt])
    }

    @Test("a file that strangers have filled is cleaned when it is opened the next time")
    func poisonedFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/chat.db"
        do {
            let old = try SQLiteConnection(path: path, mode: .readWrite)
            _ = try Migration.migrate(old, with: Array(Migration.all.prefix(3)))
            try old.execute("INSERT INTO addresses VALUES (1, 'juliet@capulet.example')")
            try old.execute("INSERT INTO accounts (id, address) VALUES (1, 1)")
            for number in 2..<52 {
                try old.execute("INSERT INTO addresses VALUES (\(number), 'stranger\(number)@evil.example')")
                try old.execute(
                    "INSERT INTO conversations (id, account, address, kind) VALUES (\(number), 1, \(number), 0)")
                try old.execute("INSERT INTO pending_marks VALUES (\(number), 0, 0, 'x', 5000, NULL)")
            }
            try old.execute("UPDATE conversations SET is_pinned = 1 WHERE id = 7")
        }
        let store = try await SQLiteStore.open(at: path)
        let (list, hasWaiting) = try await store.read { store throws(StoreError) in
            (try store.conversations().map(\.id.rawValue), try (store as? any RecordStorage)?.hasWaiting)
        }
        #expect(list == [7] && hasWaiting == false)
        await store.close()
        let file = try SQLiteConnection(path: path, mode: .readWrite)
        #expect(try file.integer("SELECT count(*) FROM conversations") == 1)
    }
}
