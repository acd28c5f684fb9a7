/// Gajim's schema and queries, reimplemented after reading its source at commit 67350349 (August 2026, 2.5.0.1): the
/// tables and indexes of its archive that messages touch (schema 20), write-ahead log with SQLite's default
/// `synchronous = FULL`, foreign keys and `secure_delete`, every message a separate transaction, search by LIKE over
/// all texts, cached prepared statements.
///
/// Gajim's other work (SQLAlchemy, Python) is left out, and so is the vacuuming at its end.
final class GajimSubject: StoreSubject {
    let name = "Gajim's queries"
    let path: String
    let searchCount = 3
    let liveCount = 1000

    private var database: PlainDatabase?
    private var peers: [Int64] = []
    private var oldest: (peer: Int64, time: Double)?

    private static let withdrawals = """
        LEFT JOIN moderation ON moderation.stanza_id = message.stanza_id
            AND moderation.fk_remote_pk = message.fk_remote_pk AND moderation.fk_account_pk = message.fk_account_pk
        LEFT JOIN occupant AS moderator ON moderator.pk = moderation.fk_occupant_pk
        LEFT JOIN retraction ON retraction.id = CASE WHEN message.type = 2 THEN message.stanza_id ELSE message.id END
            AND retraction.fk_remote_pk = message.fk_remote_pk AND retraction.fk_account_pk = message.fk_account_pk
            AND retraction.direction = message.direction
        """

    init(folder: String) { path = folder + "/gajim.db" }

    private func requireDatabase() throws -> PlainDatabase {
        guard let database else { throw PlainDatabase.Failure(description: "\(path) is not open") }
        return database
    }

    private func open() throws -> PlainDatabase {
        let database = try PlainDatabase(path: path, keepsStatements: true)
        for setting in ["foreign_keys = 1", "journal_mode = wal", "secure_delete = on"] {
            try database.execute("PRAGMA \(setting)")
        }
        self.database = database
        return database
    }

    func create() async throws {
        let database = try open()
        try database.execute(Self.tables)
        try database.execute(Self.furtherTables)
        try database.run("INSERT INTO account (jid) VALUES (?)", [.text(MessageCorpus.me)])
        try database.execute("BEGIN")
        for number in 0..<MessageCorpus.peerCount {
            peers.append(try database.run("INSERT INTO remote (jid) VALUES (?)", [.text(MessageCorpus.peer(number))]))
        }
        try database.execute("COMMIT")
    }

    func fill(_ messages: ArraySlice<CorpusMessage>) async throws {
        let database = try requireDatabase()
        try database.execute("BEGIN")
        for message in messages { try keep(message, isArchived: true, in: database) }
        try database.execute("COMMIT")
    }

    func settle() async throws {}

    /// Read positions are in another file.
    func markRead() async throws {}

    func receive(page: ArraySlice<CorpusMessage>) async throws {
        let database = try requireDatabase()
        for message in page {
            try database.execute("BEGIN")
            try keep(message, isArchived: true, in: database)
            try database.execute("COMMIT")
        }
        try database.run(
            """
            INSERT INTO mam_archive_state (fk_account_pk, fk_remote_pk, to_stanza_id, to_stanza_ts) VALUES (1, 1, ?, ?)
            ON CONFLICT (fk_remote_pk, fk_account_pk) DO UPDATE
            SET to_stanza_id = excluded.to_stanza_id, to_stanza_ts = excluded.to_stanza_ts
            """, [.text(page.last?.archiveID ?? ""), .real(Double(page.last?.time ?? 0) / 1000)])
    }

    func receive(live message: CorpusMessage) async throws {
        let database = try requireDatabase()
        try database.execute("BEGIN")
        try keep(message, isArchived: false, in: database)
        try database.execute("COMMIT")
    }

    private func keep(_ message: CorpusMessage, isArchived: Bool, in database: PlainDatabase) throws {
        let peer = PlainDatabase.Value.integer(peers[message.peer])
        var isKnown = 0
        for (column, id) in [
            ("stanza_id", isArchived ? message.archiveID : nil), ("id", message.isOutgoing ? message.id : nil),
        ] {
            guard let id else { continue }
            isKnown += try database.rows(
                "SELECT 1 WHERE EXISTS (SELECT id FROM message WHERE \(column) = ? AND fk_remote_pk = ? AND fk_account_pk = 1)",
                [.text(id), peer]
            ) { _ in }
        }
        guard isKnown == 0 else { return }
        try database.run(
            """
            INSERT INTO message (fk_account_pk, fk_remote_pk, resource, type, direction, timestamp, state, id, stanza_id,
            text) VALUES (1, ?, NULL, 1, ?, ?, 1, ?, ?, ?)
            """,
            [
                peer, .integer(message.isOutgoing ? 1 : 2), .real(Double(message.time) / 1000), .text(message.id),
                .text(message.archiveID), .text(message.body),
            ])
    }

    func close() async throws { database = nil }

    // MARK: Reading

    func openWithList() async throws -> Int {
        let database = try open()
        var list: [Int64] = []
        try database.rows("SELECT * FROM remote") { list.append($0.integer(0)) }
        for peer in list {
            var messages: [Int64] = []
            try database.rows(
                """
                SELECT * FROM message LEFT JOIN occupant ON occupant.pk = message.fk_occupant_pk
                LEFT JOIN account ON account.pk = message.fk_account_pk
                LEFT JOIN remote ON remote.pk = message.fk_remote_pk
                LEFT JOIN call ON call.fk_message_pk = message.pk \(Self.withdrawals)
                WHERE message.fk_remote_pk = ? AND message.fk_account_pk = 1 AND message.correction_id IS NULL
                AND (occupant.blocked = 0 OR occupant.blocked IS NULL)
                ORDER BY message.timestamp DESC, message.pk DESC LIMIT 1
                """, [.integer(peer)]
            ) { messages.append($0.integer(0)) }
            try corrections(of: messages)
            try related("filetransfer", to: messages)
            try related("oob", to: messages)
        }
        return list.count
    }

    func firstPage(of peer: Int) async throws -> Int { try page(of: peers[peer], before: 4e9) }

    func pageBefore() async throws -> Int {
        guard let oldest else { return 0 }
        return try page(of: oldest.peer, before: oldest.time)
    }

    private func page(of peer: Int64, before time: Double) throws -> Int {
        let database = try requireDatabase()
        var messages: [Int64] = []
        try database.rows(
            """
            SELECT * FROM message LEFT JOIN account ON account.pk = message.fk_account_pk
            LEFT JOIN remote ON remote.pk = message.fk_remote_pk LEFT JOIN call ON call.fk_message_pk = message.pk
            LEFT JOIN encryption ON encryption.pk = message.fk_encryption_pk
            LEFT JOIN error ON error.message_id = message.id AND error.fk_remote_pk = message.fk_remote_pk
                AND error.fk_account_pk = message.fk_account_pk
            LEFT JOIN occupant ON occupant.pk = message.fk_occupant_pk
            LEFT JOIN remote AS real_remote ON real_remote.pk = occupant.fk_real_remote_pk
            LEFT JOIN receipt ON receipt.id = message.id AND receipt.fk_remote_pk = message.fk_remote_pk
                AND receipt.fk_account_pk = message.fk_account_pk
            LEFT JOIN reply ON reply.fk_message_pk = message.pk
            LEFT JOIN securitylabel ON securitylabel.pk = message.fk_security_label_pk
            LEFT JOIN thread ON thread.pk = message.fk_thread_pk \(Self.withdrawals)
            WHERE message.fk_remote_pk = ? AND message.fk_account_pk = 1 AND message.correction_id IS NULL
            AND message.timestamp < ? ORDER BY message.timestamp DESC, message.pk DESC LIMIT \(PageSize.screen)
            """, [.integer(peer), .real(time)]
        ) {
            messages.append($0.integer(0))
            oldest = (peer, $0.real(5))
        }
        for table in ["filetransfer", "opengraph", "oob"] { try related(table, to: messages) }
        try database.rows(
            """
            SELECT message.pk, reaction.* FROM message
            JOIN reaction ON reaction.id = CASE WHEN message.type = 2 THEN message.stanza_id ELSE message.id END
            AND reaction.fk_remote_pk = message.fk_remote_pk AND reaction.fk_account_pk = message.fk_account_pk
            WHERE message.pk IN (\(Self.marks(messages.count)))
            """, messages.map { .integer($0) }
        ) { _ in }
        try corrections(of: messages)
        return messages.count
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

    private func related(_ table: String, to messages: [Int64]) throws {
        try requireDatabase().rows(
            "SELECT * FROM \(table) WHERE fk_message_pk IN (\(Self.marks(messages.count)))",
            messages.map { .integer($0) }
        ) { _ in }
    }

    private func corrections(of messages: [Int64]) throws {
        try requireDatabase().rows(
            """
            SELECT * FROM message AS first JOIN message ON first.id = message.correction_id
            AND first.fk_remote_pk = message.fk_remote_pk AND first.fk_account_pk = message.fk_account_pk
            AND first.fk_occupant_pk IS message.fk_occupant_pk AND first.direction = message.direction
            AND CASE WHEN first.type = 2 AND first.fk_occupant_pk IS NULL THEN first.resource = message.resource
            ELSE 1 END \(Self.withdrawals)
            WHERE first.pk IN (\(Self.marks(messages.count))) ORDER BY message.timestamp
            """, messages.map { .integer($0) }
        ) { _ in }
    }

    func search(_ words: String) async throws -> Int {
        var messages: [Int64] = []
        try requireDatabase().rows(
            """
            SELECT * FROM message LEFT JOIN account ON account.pk = message.fk_account_pk
            LEFT JOIN remote ON remote.pk = message.fk_remote_pk
            LEFT JOIN occupant ON occupant.pk = message.fk_occupant_pk
            WHERE message.fk_account_pk IN (1) AND lower(message.text) LIKE lower(?)
            AND message.timestamp BETWEEN 0 AND 4000000000
            AND NOT EXISTS (SELECT 1 FROM moderation WHERE moderation.stanza_id = message.stanza_id
                AND moderation.fk_remote_pk = message.fk_remote_pk AND moderation.fk_account_pk = message.fk_account_pk)
            AND NOT EXISTS (SELECT 1 FROM retraction
                WHERE retraction.id = CASE WHEN message.type = 2 THEN message.stanza_id ELSE message.id END
                AND retraction.fk_remote_pk = message.fk_remote_pk AND retraction.fk_account_pk = message.fk_account_pk
                AND retraction.direction = message.direction)
            ORDER BY message.timestamp DESC, message.pk DESC
            """, [.text("%\(words)%")], limit: 25
        ) { messages.append($0.integer(0)) }
        try corrections(of: messages)
        return messages.count
    }
}
