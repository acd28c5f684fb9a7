extension SQLiteTransaction {
    // MARK: Updating the index

    func searchTextChanged(of message: MessageRecord, from old: String?, to new: String?) throws(StoreError) {
        if let old {
            try saveUnindexed()
            let waiting = try connection.integer(
                "SELECT message FROM unindexed WHERE message = ?", [SQLiteValue(message.id)])
            if waiting == nil {
                try removeFromIndex(message.id, text: old, conversation: message.conversation)
            } else if new == nil {
                try connection.run("DELETE FROM unindexed WHERE message = ?", [SQLiteValue(message.id)])
            }
        }
        if let new, !new.isEmpty {
            toIndex.append(message.id)
            unindexed += 1
        }
    }

    /// Stores which messages wait for the index: before a query that needs it, and at the end of the transaction.
    func saveUnindexed() throws(StoreError) {
        guard !toIndex.isEmpty else { return }
        let numbers = toIndex.map { String($0.rawValue) }.joined(separator: ",")
        try connection.run(
            "INSERT OR IGNORE INTO unindexed (message) SELECT value FROM json_each(?)", [.text("[\(numbers)]")])
        toIndex = []
    }

    private func removeFromIndex(
        _ message: MessageID, text: String, conversation: ConversationID
    ) throws(StoreError) {
        guard !text.isEmpty else { return }
        try connection.run(
            "INSERT INTO search (search, rowid, grams) VALUES ('delete', ?, ?)",
            [SQLiteValue(message), .text(SearchGrams(of: text, in: conversation).text)])
    }

    /// The index does not store the text, so it must be passed again to remove an entry.
    func removeFromIndex(messagesOf conversation: ConversationID) throws(StoreError) {
        try saveUnindexed()
        let texts = try connection.rows(
            """
            SELECT m.id, coalesce(e.body, m.body) FROM messages m LEFT JOIN messages e ON e.id = m.current_edit
            WHERE m.conversation = ? AND m.kind = 0 AND m.retraction IS NULL
            AND NOT EXISTS (SELECT 1 FROM unindexed WHERE message = m.id) ORDER BY m.id
            """, [SQLiteValue(conversation)]
        ) { row throws(StoreError) in (row.messageID(0), row.text(1)) }
        for (message, text) in texts { try removeFromIndex(message, text: text, conversation: conversation) }
    }

    /// The number of messages after which indexing checks whether another write is waiting: some milliseconds of work.
    private static let indexingStretch = 64

    /// CROSS fixes the join order: without statistics about an empty table, SQLite would scan all messages first.
    static let unindexedQuery = """
        SELECT u.message, m.conversation, coalesce(e.body, m.body, '') FROM unindexed u
        CROSS JOIN messages m ON m.id = u.message LEFT JOIN messages e ON e.id = m.current_edit
        ORDER BY u.message LIMIT ?
        """

    /// Adds waiting messages to the index, lowest number first, which is the order of entries in FTS5.
    ///
    /// - Parameter isWanted: returns `true` if another write waits, so that this one should end.
    /// - Returns: `true` if more messages are waiting.
    func indexWaiting(limit: Int, until isWanted: () -> Bool = { false }) throws(StoreError) -> Bool {
        try saveUnindexed()
        var last: MessageID?
        var (count, isInterrupted) = (0, false)
        // Each text is read when its turn comes: if another write waits, most of them are not needed now.
        try connection.forEachRow(Self.unindexedQuery, [SQLiteValue(limit)]) { row throws(StoreError) in
            if count % Self.indexingStretch == 0, count > 0, isWanted() {
                isInterrupted = true
                return false
            }
            let message = row.messageID(0)
            let grams = SearchGrams(of: row.text(2), in: ConversationID(rawValue: row.integer(1)))
            try connection.run(
                "INSERT INTO search (rowid, grams) VALUES (?, ?)", [SQLiteValue(message), .text(grams.text)])
            last = message
            count += 1
            return true
        }
        if let last {
            try connection.run("DELETE FROM unindexed WHERE message <= ?", [SQLiteValue(last)])
        }
        return isInterrupted || count == limit
    }

    // MARK: Searching

    func search(_ request: SearchRequest) throws(StoreError) -> SearchResults {
        let pattern = SearchPattern(request.text)
        guard !pattern.isEmpty, request.limit > 0 else { return SearchResults(messages: [], next: nil) }
        try saveUnindexed()
        let before = request.before?.rawValue ?? .max
        var found: [MessageID] = []

        /// Collects matches in descending order of numbers, newest first.
        func collect(_ sql: String, _ values: [SQLiteValue]) throws(StoreError) {
            var count = 0
            try connection.forEachRow(sql, values) { row throws(StoreError) in
                let conversation = ConversationID(rawValue: row.integer(1))
                if let wanted = request.conversation, wanted != conversation { return true }
                if let account = request.account, try self.account(of: conversation) != account { return true }
                guard pattern.matches(row.text(2)) else { return true }
                found.append(row.messageID(0))
                count += 1
                return count <= request.limit
            }
        }
        let text = "m.conversation, coalesce(e.body, m.body, '')"
        try collect(
            """
            SELECT m.id, \(text) FROM search s CROSS JOIN messages m ON m.id = s.rowid
            LEFT JOIN messages e ON e.id = m.current_edit
            WHERE search MATCH ? AND s.rowid < ? ORDER BY s.rowid DESC
            """, [.text(pattern.expression(in: request.conversation)), .integer(before)])
        try collect(
            """
            SELECT m.id, \(text) FROM unindexed u CROSS JOIN messages m ON m.id = u.message
            LEFT JOIN messages e ON e.id = m.current_edit WHERE u.message < ? ORDER BY u.message DESC
            """, [.integer(before)])
        found.sort(by: >)
        let page = found.prefix(request.limit)
        var records: [MessageRecord] = []
        for id in page {
            if let record = try record(id) { records.append(record) }
        }
        return SearchResults(
            messages: try assemble(records).sorted { $0.position > $1.position },
            next: found.count > request.limit ? page.last : nil)
    }
}

extension SQLiteTransaction {
    /// Positions of messages whose files are of exactly these kinds. A covering index contains all columns.
    static let mediaQuery = """
        SELECT order_time, order_rank, id FROM messages WHERE conversation = ?1 AND media = ?6 AND order_time <= ?2
        AND (order_time, order_rank, id) < (?2, ?3, ?4)
        ORDER BY order_time DESC, order_rank DESC, id DESC LIMIT ?5
        """

    func records(
        of conversation: ConversationID, withMedia kinds: MediaKinds, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [MessageRecord] {
        let end =
            position
            ?? TimelinePosition(
                time: .init(millisecondsSince1970: .max), rank: .max, id: MessageID(rawValue: .max))
        var found: [TimelinePosition] = []
        // Few sets are in use, and a lookup of an unused one costs little; so each set is queried, and the newest
        // results are used.
        for set in kinds.supersets {
            found += try connection.rows(
                Self.mediaQuery,
                [
                    SQLiteValue(conversation), SQLiteValue(end.time), .integer(end.rank), SQLiteValue(end.id),
                    SQLiteValue(limit), SQLiteValue(set.rawValue),
                ]
            ) { row throws(StoreError) in
                TimelinePosition(time: row.time(0), rank: row.integer(1), id: row.messageID(2))
            }
        }
        var records: [MessageRecord] = []
        for place in found.sorted(by: >).prefix(limit) {
            if let record = try record(place.id) { records.append(record) }
        }
        return records
    }
}
