extension SQLiteTransaction {
    func enqueue(_ entry: QueueEntry) throws(StoreError) {
        try connection.run(
            "INSERT INTO send_queue (message, attempts, not_before) VALUES (?, ?, ?)",
            [SQLiteValue(entry.message), SQLiteValue(entry.attempts), SQLiteValue(entry.notBefore)])
    }

    func dequeue(_ message: MessageID) throws(StoreError) -> Bool {
        try connection.run("DELETE FROM send_queue WHERE message = ?", [SQLiteValue(message)])
        guard connection.changedRows > 0 else { return false }
        changes.dequeued.insert(message)
        return true
    }

    /// CROSS fixes the join order: without statistics about an empty table, SQLite would scan all messages first.
    static let queueQuery = """
        SELECT q.message, q.attempts, q.not_before, q.sequence FROM send_queue q CROSS JOIN messages m ON m.id = q.message
        CROSS JOIN conversations c ON c.id = m.conversation WHERE c.account = ? ORDER BY q.sequence
        """

    func queueEntries(of account: AccountID) throws(StoreError) -> [QueueEntry] {
        try connection.rows(Self.queueQuery, [SQLiteValue(account)]) { row throws(StoreError) in
            Self.queueEntry(row)
        }
    }

    func queueEntries(
        in conversation: ConversationID?, after position: Int64, limit: Int
    ) throws(StoreError) -> [QueueEntry] {
        try connection.rows(
            """
            SELECT q.message, q.attempts, q.not_before, q.sequence FROM send_queue q
            CROSS JOIN messages m ON m.id = q.message
            WHERE q.sequence > ? AND (?2 IS NULL OR m.conversation = ?2) ORDER BY q.sequence LIMIT ?
            """, [SQLiteValue(position), SQLiteValue(conversation), SQLiteValue(limit)]
        ) { row throws(StoreError) in Self.queueEntry(row) }
    }

    private static func queueEntry(_ row: SQLiteRow) -> QueueEntry {
        QueueEntry(
            position: row.integer(3), message: row.messageID(0), attempts: Int(row.integer(1)),
            notBefore: row.optionalTime(2))
    }

    func queueEntry(of message: MessageID) throws(StoreError) -> QueueEntry? {
        try connection.firstRow(
            "SELECT message, attempts, not_before, sequence FROM send_queue WHERE message = ?", [SQLiteValue(message)]
        ) { row throws(StoreError) in Self.queueEntry(row) }
    }

    func queuedRecords(originID: String, of account: AccountID) throws(StoreError) -> [MessageRecord] {
        let ids = try connection.rows(
            """
            SELECT m.id FROM messages m JOIN send_queue q ON q.message = m.id
            JOIN conversations c ON c.id = m.conversation
            WHERE (m.wire_id = ?1 OR m.origin_id = ?1) AND c.account = ?2 ORDER BY m.id
            """, [StoredIdentifier.encode(originID), SQLiteValue(account)]
        ) { row throws(StoreError) in row.messageID(0) }
        var records: [MessageRecord] = []
        for id in ids {
            let record = try requireRecord(id)
            if record.isOutgoing, record.originID == originID { records.append(record) }
        }
        return records
    }

    func contentsToSend(of account: AccountID) throws(StoreError) -> Set<String> {
        // With state 3000 or above, the server has the message, or a recipient refused it.
        Set(
            try connection.rows(
                """
                SELECT a.content_hash FROM messages m INDEXED BY messages_unsent JOIN attachments a ON a.message = m.id
                JOIN conversations c ON c.id = m.conversation
                WHERE m.state < 3000 AND m.flags & 1 = 1 AND c.account = ? AND a.content_hash IS NOT NULL
                """, [SQLiteValue(account)]
            ) { row throws(StoreError) in row.text(0) })
    }

    func noteAttempt(_ message: MessageID, notBefore: MessageTime?) throws(StoreError) {
        try connection.run(
            "UPDATE send_queue SET attempts = attempts + 1, not_before = ? WHERE message = ?",
            [SQLiteValue(notBefore), SQLiteValue(message)])
        guard connection.changedRows > 0 else {
            throw StoreError(.invalidRequest, "The message is not in the send queue.")
        }
    }

    func endBackoffs(of account: AccountID) throws(StoreError) {
        try connection.run(
            """
            UPDATE send_queue SET attempts = min(attempts, 1), not_before = NULL WHERE not_before IS NOT NULL
            AND (SELECT c.account FROM messages m CROSS JOIN conversations c ON c.id = m.conversation
            WHERE m.id = send_queue.message) = ?
            """, [SQLiteValue(account)])
    }
}
