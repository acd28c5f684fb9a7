extension SQLiteTransaction {
    // MARK: Keeping the index

    func searchTextChanged(of message: MessageRecord, from old: String?, to new: String?) throws(StoreError) {
        if let old {
            try putAside()
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

    /// Writes down which messages wait for the index: before anybody looks there, and at the end.
    func putAside() throws(StoreError) {
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

    /// The index keeps no text, so it must be told what to forget.
    func removeFromIndex(messagesOf conversation: ConversationID) throws(StoreError) {
        try putAside()
        let texts = try connection.rows(
            """
            SELECT m.id, coalesce(e.body, m.body) FROM messages m LEFT JOIN messages e ON e.id = m.current_edit
            WHERE m.conversation = ? AND m.kind = 0 AND m.retraction IS NULL
            AND NOT EXISTS (SELECT 1 FROM unindexed WHERE message = m.id) ORDER BY m.id
            """, [SQLiteValue(conversation)]
        ) { row throws(StoreError) in (row.messageID(0), row.text(1)) }
        for (message, text) in texts { try removeFromIndex(message, text: text, conversation: conversation) }
    }

    /// How many messages are indexed between two questions whether somebody else wants to write: some milliseconds' work.
    private static let indexingStretch = 64

    /// CROSS keeps the order: of an empty table SQLite knows nothing, so it would rather read all messages first.
    static let unindexedQuery = """
        SELECT u.message, m.conversation, coalesce(e.body, m.body, '') FROM unindexed u
        CROSS JOIN messages m ON m.id = u.message LEFT JOIN messages e ON e.id = m.current_edit
        ORDER BY u.message LIMIT ?
        """

    /// Puts messages that wait for it into the index, oldest number first, which is the order that FTS5 keeps them in.
    ///
    /// - Parameter isWanted: somebody else wants to write, so that this had better end.
    /// - Returns: whether more are waiting.
    func indexWaiting(limit: Int, until isWanted: () -> Bool = { false }) throws(StoreError) -> Bool {
        try putAside()
        let texts = try connection.rows(Self.unindexedQuery, [SQLiteValue(limit)]) { row throws(StoreError) in
            (row.messageID(0), ConversationID(rawValue: row.integer(1)), row.text(2))
        }
        var last: MessageID?
        for (index, (message, conversation, text)) in texts.enumerated() {
            if index % Self.indexingStretch == 0, index > 0, isWanted() { break }
            try connection.run(
                "INSERT INTO search (rowid, grams) VALUES (?, ?)",
                [SQLiteValue(message), .text(SearchGrams(of: text, in: conversation).text)])
            last = message
        }
        if let last {
            try connection.run("DELETE FROM unindexed WHERE message <= ?", [SQLiteValue(last)])
        }
        return texts.count == limit || last != texts.last?.0
    }

    // MARK: Searching

    func search(_ request: SearchRequest) throws(StoreError) -> SearchResults {
        let pattern = SearchPattern(request.text)
        guard !pattern.isEmpty, request.limit > 0 else { return SearchResults(messages: [], next: nil) }
        try putAside()
        let before = request.before?.rawValue ?? .max
        var found: [MessageID] = []

        /// Goes down the numbers, which is back in time.
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
