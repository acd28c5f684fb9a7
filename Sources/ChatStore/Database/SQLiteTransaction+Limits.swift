internal import XMPPAddress

extension SQLiteTransaction {
    private static let size = """
        m.id, coalesce(length(CAST(m.body AS BLOB)), 0) + coalesce(length(CAST(m.subject AS BLOB)), 0)
        + coalesce(length(CAST(m.thread AS BLOB)), 0) + coalesce(length(CAST(m.link AS BLOB)), 0) + coalesce((
            SELECT sum(coalesce(length(a.thumbnail), 0) + coalesce(length(CAST(a.url AS BLOB)), 0)
                + coalesce(length(CAST(a.name AS BLOB)), 0))
            FROM attachments a WHERE a.message = m.id), 0)
        """
    private static let newestFirst = "ORDER BY m.order_time DESC, m.order_rank DESC, m.id DESC"
    /// Each part uses its own index; no index contains all rows of a conversation.
    private static let waitingRows = """
        SELECT id FROM messages INDEXED BY messages_waiting WHERE conversation = ?1 AND target IS NULL AND kind <> 0
        """
    private static let allRows = """
        SELECT id FROM messages WHERE conversation = ?1 AND kind = 0
        UNION ALL SELECT e.id FROM messages t JOIN messages e ON e.target = t.id
            WHERE t.conversation = ?1 AND t.kind = 0
        UNION ALL \(waitingRows)
        """

    func rowSizes(of conversation: ConversationID, onlyWaiting: Bool) throws(StoreError) -> [RowSize] {
        let rows = onlyWaiting ? Self.waitingRows : Self.allRows
        return try connection.rows(
            "SELECT \(Self.size) FROM messages m WHERE m.id IN (\(rows)) \(Self.newestFirst)",
            [SQLiteValue(conversation)]
        ) { row throws(StoreError) in RowSize(id: row.messageID(0), bytes: Int(row.integer(1))) }
    }

    /// The messages are checked last: they are only scanned if every other condition says that it is a stranger.
    private static let isStranger = """
        c.kind <> 1 AND c.is_pinned = 0 AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.conversation = c.id)
        AND NOT (c.kind = 0 AND EXISTS (
            SELECT 1 FROM contacts k WHERE k.account = c.account AND k.address = c.address))
        AND (EXISTS (SELECT 1 FROM contacts k WHERE k.account = c.account)
            OR EXISTS (SELECT 1 FROM accounts a WHERE a.id = c.account AND a.roster_version IS NOT NULL))
        AND NOT EXISTS (
            SELECT 1 FROM messages m WHERE m.conversation = c.id AND m.kind = 0 AND m.flags & \(Flags.outgoing) <> 0)
        """

    func isStranger(_ conversation: ConversationID) throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT 1 FROM conversations c WHERE c.id = ? AND \(Self.isStranger)", [SQLiteValue(conversation)]) != nil
    }

    func strangers(of account: AccountID) throws(StoreError) -> [ConversationID] {
        try connection.rows(
            """
            SELECT c.id FROM conversations c WHERE c.account = ? AND \(Self.isStranger)
            ORDER BY coalesce(c.newest_order_time, 0) DESC, c.id DESC
            """, [SQLiteValue(account)]
        ) { row throws(StoreError) in ConversationID(rawValue: row.integer(0)) }
    }
}
