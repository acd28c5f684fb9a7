/// The values of a conversation that the list shows and that are expensive to compute: stored in its row and updated by
/// each transaction.
struct ConversationSummary {
    var read: TimelinePosition?
    var last: TimelinePosition?
    var unread: Int
    var newestOrderTime: MessageTime?
    var isChanged = false
    /// Something else than a new message was changed, so the values are computed again.
    var needsRecount = false
}

extension SQLiteTransaction {
    func summary(of conversation: ConversationID) throws(StoreError) -> ConversationSummary {
        if let summary = summaries[conversation] { return summary }
        if let summary = cache.summaries[conversation] {
            summaries[conversation] = summary
            return summary
        }
        let found = try connection.firstRow(
            """
            SELECT r.order_time, r.order_rank, r.id, l.order_time, l.order_rank, l.id, c.unread, c.newest_order_time
            FROM conversations c LEFT JOIN messages r ON r.id = c.read_message
            LEFT JOIN messages l ON l.id = c.last_message WHERE c.id = ?
            """, [SQLiteValue(conversation)]
        ) { row throws(StoreError) in
            ConversationSummary(
                read: row.isNull(2)
                    ? nil : TimelinePosition(time: row.time(0), rank: row.integer(1), id: row.messageID(2)),
                last: row.isNull(5)
                    ? nil : TimelinePosition(time: row.time(3), rank: row.integer(4), id: row.messageID(5)),
                unread: Int(row.integer(6)), newestOrderTime: row.optionalTime(7))
        }
        guard let found else { throw StoreError(.invalidRequest, "There is no such conversation.") }
        summaries[conversation] = found
        return found
    }

    func summaryAfterInsertion(of record: MessageRecord) throws(StoreError) {
        guard record.kind == .text else { return }
        var summary = try summary(of: record.conversation)
        let position = record.position
        if summary.last.map({ $0 < position }) ?? true { summary.last = position }
        if !record.isOutgoing, summary.read.map({ $0 < position }) ?? true {
            summary.unread = min(summary.unread + 1, Conversation.unreadLimit)
        }
        summary.isChanged = true
        summaries[record.conversation] = summary
    }

    func requireRecount(of conversation: ConversationID) throws(StoreError) {
        var summary = try summary(of: conversation)
        summary.needsRecount = true
        summaries[conversation] = summary
    }

    func newestOrderTime(in conversation: ConversationID) throws(StoreError) -> MessageTime? {
        try summary(of: conversation).newestOrderTime
    }

    func noteOrderTime(_ time: MessageTime, in conversation: ConversationID) throws(StoreError) {
        var summary = try summary(of: conversation)
        if let newest = summary.newestOrderTime, newest >= time { return }
        summary.newestOrderTime = time
        summary.isChanged = true
        summaries[conversation] = summary
    }

    /// - Returns: the values that are in the row now.
    func write(
        _ summary: ConversationSummary, of conversation: ConversationID
    ) throws(StoreError) -> ConversationSummary {
        guard summary.isChanged || summary.needsRecount else { return summary }
        var summary = summary
        if summary.needsRecount {
            summary.last = try records(of: conversation, before: nil, limit: 1).first?.position
            summary.read = try readPosition(in: conversation)
            summary.unread = try countUnread(in: conversation, after: summary.read)
        }
        try connection.run(
            "UPDATE conversations SET last_message = ?, unread = ?, newest_order_time = ? WHERE id = ?",
            [
                SQLiteValue(summary.last?.id), SQLiteValue(summary.unread), SQLiteValue(summary.newestOrderTime),
                SQLiteValue(conversation),
            ])
        summary.isChanged = false
        summary.needsRecount = false
        return summary
    }

    private func countUnread(
        in conversation: ConversationID, after position: TimelinePosition?
    ) throws(StoreError) -> Int {
        let position =
            position ?? TimelinePosition(time: MessageTime(millisecondsSince1970: .min), id: .init(rawValue: 0))
        let count = try connection.integer(
            """
            SELECT count(*) FROM (SELECT 1 FROM messages WHERE conversation = ?1 AND kind = 0
            AND order_time >= ?2 AND (order_time, order_rank, id) > (?2, ?3, ?4)
            AND flags & 1 = 0 AND retraction IS NULL LIMIT \(Conversation.unreadLimit))
            """,
            [
                SQLiteValue(conversation), SQLiteValue(position.time), .integer(position.rank),
                SQLiteValue(position.id),
            ])
        return Int(count ?? 0)
    }
}
