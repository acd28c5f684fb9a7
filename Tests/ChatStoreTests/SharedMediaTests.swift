import Foundation
import Testing
import XMPPAddress

@testable import ChatStore

@Suite("The pictures, voice messages and files of a conversation")
struct SharedMediaTests {
    private static let all = Set(Attachment.Kind.allCases)

    private func file(_ kind: Attachment.Kind, _ name: String) -> Attachment { Attachment(kind: kind, name: name) }

    private func say(
        _ store: TestStore, _ attachments: [Attachment], _ id: String, at time: Int64, in key: ConversationKey? = nil
    ) async throws -> MessageID {
        let text = MessageText(id, attachments: attachments)
        return try await store.receive(.with(.text(text), id: id, origin: id, at: time, source: .delay), in: key).id
    }

    private func found(
        _ store: TestStore, _ kinds: Set<Attachment.Kind> = all, before position: TimelinePosition? = nil,
        limit: Int = 100, in key: ConversationKey? = nil
    ) async throws -> [StoredMessage] {
        let key = key ?? store.romeo
        return try await store.store.read { store throws(StoreError) in
            guard let conversation = try store.conversation(key) else { return [] }
            return try store.sharedMedia(of: conversation, kinds, before: position, limit: limit)
        }
    }

    @Test("files are listed newest first, by kind, and from one conversation only", arguments: StoreKind.allCases)
    func kinds(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let tybalt = ConversationKey(account: store.account, address: .tybalt, kind: .direct)
        let rose = try await say(store, [file(.picture, "rose")], "rose", at: 1)
        _ = try await say(store, [], "words", at: 2)
        let song = try await say(store, [file(.voice, "song")], "song", at: 3)
        let both = try await say(store, [file(.file, "letter"), file(.picture, "seal")], "both", at: 4)
        let film = try await say(store, [file(.video, "film")], "film", at: 5)
        _ = try await say(store, [file(.picture, "sword")], "sword", at: 6, in: tybalt)
        #expect(try await found(store).map(\.id) == [film, both, song, rose])
        #expect(try await found(store, [.picture]).map(\.id) == [both, rose])
        #expect(try await found(store, [.voice]).map(\.id) == [song])
        #expect(try await found(store, [.file, .video]).map(\.id) == [film, both])
        #expect(try await found(store, []).isEmpty)
        #expect(try await found(store, limit: 0).isEmpty)
        #expect(try await found(store, in: tybalt).map(\.text.body) == ["sword"])
    }

    @Test("pages have no gap or overlap, even among equal times", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        for number in 0..<40 {
            let files = [file(.picture, "\(number)"), file(number % 3 == 0 ? .voice : .picture, "more")]
            _ = try await say(store, number % 5 == 0 ? [] : files, "\(number)", at: Int64(number / 4))
        }
        let wanted = try await store.timeline().reversed().filter { !$0.text.attachments.isEmpty }
        var pages: [StoredMessage] = []
        while true {
            let page = try await found(store, [.picture], before: pages.last?.position, limit: 7)
            #expect(page.count <= 7)
            if page.isEmpty { break }
            pages += page
        }
        #expect(wanted.count == 32)
        #expect(pages == wanted)
    }

    @Test("retracted files are not listed, nor files that a correction removed", arguments: StoreKind.allCases)
    func retracted(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let rose = try await say(store, [file(.picture, "rose")], "rose", at: 1)
        let song = try await say(store, [file(.voice, "song")], "song", at: 2)
        let words = try await say(store, [], "words", at: 3)
        let edit = MessageText("now a picture", attachments: [file(.picture, "edited")])
        try await store.receive(.with(.correction(of: .sent(id: "song"), edit), origin: "e", at: 4))
        #expect(try await found(store, [.voice]).isEmpty)
        #expect(try await found(store, [.picture]).map(\.id) == [song, rose])
        #expect(try await found(store).first?.text.attachments.map(\.name) == ["edited"])
        // A correction without files does not remove the existing ones.
        try await store.receive(.with(.correction(of: .sent(id: "rose"), MessageText("red")), origin: "f", at: 5))
        #expect(try await found(store, [.picture]).map(\.text.body) == ["now a picture", "red"])
        // A correction can add files to a message without any.
        let late = MessageText("with a letter", attachments: [file(.file, "letter")])
        try await store.receive(.with(.correction(of: .sent(id: "words"), late), origin: "g", at: 6))
        #expect(try await found(store, [.file]).map(\.id) == [words])
        try await store.receive(.with(.retraction(of: .sent(id: "rose")), id: "r", at: 7))
        #expect(try await found(store).map(\.id) == [words, song])
        try await store.receive(.with(.retraction(of: .sent(id: "words")), id: "s", at: 8))
        try await store.store.write { store throws(StoreError) in try store.removeMessage(song) }
        #expect(try await found(store).isEmpty)
    }

    @Test("a file whose kind changes is listed under the new kind", arguments: StoreKind.allCases)
    func changedKind(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await say(store, [file(.file, "a"), file(.file, "b")], "two", at: 1)
        let picture = file(.picture, "b")
        try await store.store.write { store throws(StoreError) in try store.update(picture, at: 1, of: id) }
        #expect(try await found(store, [.picture]).map(\.id) == [id])
        #expect(try await found(store, [.file]).map(\.id) == [id])
    }

    @Test("a change of a file that a correction added stays with that file", arguments: StoreKind.allCases)
    func noteOnCorrection(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await say(store, [file(.picture, "old")], "rose", at: 1)
        let edit = MessageText("", attachments: [file(.file, "new")])
        try await store.receive(.with(.correction(of: .sent(id: "rose"), edit), origin: "e", at: 2))
        var here = file(.picture, "new")
        here.isLocal = true
        let noted = here
        try await store.store.write { store throws(StoreError) in try store.update(noted, at: 0, of: id) }
        #expect(try await store.timeline().first?.text.attachments == [noted])
        #expect(try await found(store, [.picture]).first?.text.attachments == [noted])
    }

    @Test("a page is read from the index, however long the conversation is, and the index is sorted")
    func plan() async throws {
        let store = try await TestStore(.file)
        for number in 0..<50 { _ = try await say(store, [file(.picture, "p")], "\(number)", at: Int64(number)) }
        await store.store.close()
        let path = try #require(store.folder?.path) + "/chat.db"
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        for analyses in [false, true] {
            if analyses { try connection.execute("ANALYZE") }
            let plan = try connection.rows("EXPLAIN QUERY PLAN " + SQLiteTransaction.mediaQuery) {
                row throws(StoreError) in row.text(3)
            }
            #expect(
                plan == [
                    "SEARCH messages USING COVERING INDEX messages_media (conversation=? AND media=? AND order_time<?)"
                ])
        }
    }

    @Test("a file of the second version, which had no media column, is migrated to the contents of a new one")
    func migration() async throws {
        let store = try await TestStore(.file)
        for number in 0..<24 {
            let files = [file(.picture, "p"), file(.voice, "v"), file(.file, "f"), file(.video, "w")]
            _ = try await say(store, Array(files.prefix(number % 5)), "\(number)", at: Int64(number))
            let edit = MessageText("edit", attachments: number % 2 == 0 ? [] : Array(files.suffix(number % 3)))
            guard number % 3 > 0 else { continue }
            try await store.receive(
                .with(.correction(of: .sent(id: "\(number)"), edit), origin: "e\(number)", at: Int64(100 + number)))
            guard number % 7 == 0 else { continue }
            try await store.receive(
                .with(.retraction(of: .sent(id: "\(number)")), id: "r\(number)", at: Int64(200 + number)))
        }
        await store.store.close()
        let path = try #require(store.folder?.path) + "/chat.db"
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        func media() throws -> [[Int64?]] {
            try connection.rows("SELECT id, media FROM messages ORDER BY id") { row throws(StoreError) in
                [row.integer(0), row.optionalInteger(1)]
            }
        }
        let wanted = try media()
        #expect(Set(wanted.map { $0[1] }).count > 6)
        try connection.execute(
            "DROP INDEX messages_media; ALTER TABLE messages DROP COLUMN media; PRAGMA user_version = 2")
        #expect(try Migration.migrate(connection, with: Array(Migration.all.prefix(3))) == 2)
        #expect(try media() == wanted)
    }
}
