/// Dino's schema and queries, reimplemented after reading its source at commit 45723ac2 (June 2026, after 0.5.1): the
/// tables and indexes that messages touch (schema 32), write-ahead log with `synchronous = NORMAL` and `secure_delete`,
/// FTS4 with unicode61 updated by triggers, every statement a separate transaction and prepared each time.
///
/// Dino's other work (objects, signals, its cache of addresses, which costs nothing here) is left out, and so are
/// reactions, markup and corrections, which it queries for each message.
final class DinoSubject: StoreSubject {
    let name = "Dino's queries"
    let path: String
    let searchCount = 20
    let liveCount = 2000

    private var database: PlainDatabase?
    private var peers: [Int64] = []
    private var oldest: (conversation: Int64, time: Int64, id: Int64)?

    init(folder: String) { path = folder + "/dino.db" }

    private func requireDatabase() throws -> PlainDatabase {
        guard let database else { throw PlainDatabase.Failure(description: "\(path) is not open") }
        return database
    }

    private func open() throws -> PlainDatabase {
        let database = try PlainDatabase(path: path, keepsStatements: false)
        self.database = database
        try database.execute("BEGIN TRANSACTION")
        try database.execute(Self.tables)
        try database.execute(Self.indexes)
        try database.execute("END TRANSACTION")
        for setting in ["journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"] {
            try database.execute("PRAGMA \(setting)")
        }
        return database
    }

    func create() async throws {
        let database = try open()
        try database.run("INSERT INTO account (bare_jid, enabled) VALUES (?, 1)", [.text(MessageCorpus.me)])
        try database.execute("BEGIN")
        for number in 0..<MessageCorpus.peerCount {
            let peer = try database.run("INSERT INTO jid (bare_jid) VALUES (?)", [.text(MessageCorpus.peer(number))])
            peers.append(peer)
            try database.run(
                "INSERT INTO conversation (id, account_id, jid_id, active, type, encryption) VALUES (?, 1, ?, 1, 0, 0)",
                [.integer(peer), .integer(peer)])
        }
        try database.execute("COMMIT")
    }

    func fill(_ messages: ArraySlice<CorpusMessage>) async throws {
        try requireDatabase().execute("BEGIN")
        for message in messages { try await receive(live: message) }
        try requireDatabase().execute("COMMIT")
    }

    func settle() async throws {}

    func markRead() async throws {
        try requireDatabase().execute(
            """
            UPDATE conversation SET read_up_to_item = coalesce((SELECT id FROM content_item
            WHERE conversation_id = conversation.id ORDER BY time DESC, id DESC LIMIT 1), -1)
            """)
    }

    func receive(page: ArraySlice<CorpusMessage>) async throws {
        for message in page { try await receive(live: message) }
        try requireDatabase().run(
            "INSERT INTO mam_catchup (account_id, server_jid, from_id, from_time, from_end, to_id, to_time) VALUES (1, ?, ?, ?, 0, ?, ?)",
            [
                .text(MessageCorpus.me), .text(page.first?.archiveID ?? ""), .integer((page.first?.time ?? 0) / 1000),
                .text(page.last?.archiveID ?? ""), .integer((page.last?.time ?? 0) / 1000),
            ])
    }

    func receive(live message: CorpusMessage) async throws {
        let database = try requireDatabase()
        let peer = PlainDatabase.Value.integer(peers[message.peer])
        let time = PlainDatabase.Value.integer(message.time / 1000)
        var known: Int64 = 0
        try database.rows(
            "SELECT count(*) AS count FROM message WHERE server_id = ? AND counterpart_id = ? AND account_id = 1",
            [.text(message.archiveID), peer]
        ) { known = $0.integer(0) }
        let isKnown = try database.rows(
            """
            SELECT * FROM message WHERE stanza_id = ? AND counterpart_id = ? AND account_id = 1
            AND \(message.isOutgoing ? "our_resource" : "counterpart_resource") ISNULL LIMIT 1
            """, [.text(message.id), peer]
        ) { _ in }
        guard known == 0, isKnown == 0 else { return }
        let id = try database.run(
            """
            INSERT INTO message (account_id, counterpart_id, counterpart_resource, our_resource, direction, type, time,
            local_time, body, encryption, marked, stanza_id, server_id) VALUES (1, ?, NULL, NULL, ?, 1, ?, ?, ?, 0, 0, ?, ?)
            """,
            [
                peer, .integer(message.isOutgoing ? 1 : 0), time, time, .text(message.body), .text(message.id),
                .text(message.archiveID),
            ])
        try database.run(
            """
            INSERT INTO content_item (conversation_id, local_time, time, content_type, foreign_id, hide)
            VALUES (?, ?, ?, 1, ?, 0)
            """, [peer, time, time, .integer(id)])
        try database.run("UPDATE conversation SET last_active = ? WHERE id = ?", [time, peer])
        try database.rows(
            "SELECT * FROM content_item WHERE foreign_id = ? AND content_type = 1 AND hide = 0", [.integer(id)]
        ) { _ in }
    }

    func close() async throws { database = nil }

    // MARK: Reading

    func openWithList() async throws -> Int {
        let database = try open()
        var list: [(id: Int64, peer: Int64, read: Int64)] = []
        try database.rows("SELECT * FROM account") { _ in }
        try database.rows("SELECT * FROM conversation WHERE account_id = 1") {
            list.append(($0.integer(0), $0.integer(2), $0.integer(10)))
        }
        for entry in list {
            try database.rows("SELECT bare_jid FROM jid WHERE id = ?", [.integer(entry.peer)]) { _ in }
        }
        // A row of the list shows the last message and the number of messages after the last one that was read.
        for entry in list {
            _ = try page(of: entry.id, "", [], limit: 1)
            var read: (time: Int64, id: Int64)?
            try database.rows("SELECT * FROM content_item WHERE id = ?", [.integer(entry.read)]) {
                read = ($0.integer(2), $0.integer(0))
            }
            let time = PlainDatabase.Value.text(String(read?.time ?? 0))
            try database.rows(
                """
                SELECT count(*) FROM content_item WHERE conversation_id = ? AND hide = 0
                AND (time > ? OR (time = ? AND id > ?))
                """, [.integer(entry.id), time, time, .text(String(read?.id ?? 0))]
            ) { _ in }
        }
        return list.count
    }

    func firstPage(of peer: Int) async throws -> Int {
        try page(of: peers[peer], "", [], limit: PageSize.screen)
    }

    func pageBefore() async throws -> Int {
        guard let oldest else { return 0 }
        let time = PlainDatabase.Value.text(String(oldest.time))
        return try page(
            of: oldest.conversation, "(time < ? OR (time = ? AND id < ?)) AND",
            [time, time, .text(String(oldest.id))], limit: PageSize.screen)
    }

    private func page(
        of conversation: Int64, _ condition: String, _ values: [PlainDatabase.Value], limit: Int
    ) throws -> Int {
        let database = try requireDatabase()
        var messages: [Int64] = []
        try database.rows(
            """
            SELECT * FROM content_item WHERE \(condition) conversation_id = ? AND hide = 0
            ORDER BY time DESC, id DESC LIMIT \(limit)
            """, values + [.integer(conversation)]
        ) {
            messages.append($0.integer(5))
            oldest = (conversation, $0.integer(2), $0.integer(0))
        }
        for message in messages {
            try database.rows(
                """
                SELECT * FROM message LEFT JOIN message_occupant_id ON message_occupant_id.message_id = message.id
                LEFT JOIN message_correction ON message_correction.message_id = message.id
                LEFT JOIN reply ON reply.message_id = message.id WHERE message.id = ?
                """, [.integer(message)]
            ) { _ in }
        }
        return messages.count
    }

    func search(_ words: String) async throws -> Int {
        let database = try requireDatabase()
        let expression = PlainDatabase.Value.text(words.split(separator: " ").map { $0 + "* " }.joined())
        let tables = """
            message JOIN _fts_message ON _fts_message.docid = message.rowid JOIN jid ON jid.id = message.counterpart_id
            JOIN account ON account.id = message.account_id LEFT JOIN real_jid ON real_jid.message_id = message.id
            """
        let condition = "_fts_message.body MATCH ? AND account.enabled = 1"
        let count = try database.rows(
            """
            SELECT * FROM \(tables)
            JOIN content_item ON message.id = content_item.foreign_id AND content_item.content_type = 1
            WHERE \(condition) AND content_item.content_type = 1 ORDER BY message.id DESC LIMIT 10
            """, [expression]
        ) { _ in }
        // It shows the total number if there are more.
        if count == 10 {
            try database.rows("SELECT count(message.id) FROM \(tables) WHERE \(condition)", [expression]) { _ in }
        }
        return count
    }
}
