internal import XMPPAddress

extension SQLiteTransaction {
    func key(of conversation: ConversationID) throws(StoreError) -> ConversationKey? {
        if let key = cache.keys[conversation] { return key }
        let key = try connection.firstRow(
            "SELECT account, address, kind FROM conversations WHERE id = ?", [SQLiteValue(conversation)]
        ) { row throws(StoreError) in
            ConversationKey(
                account: AccountID(rawValue: row.integer(0)), address: try address(row.integer(1)),
                kind: ConversationKey.Kind(rawValue: Int(row.integer(2))) ?? .direct)
        }
        if let key { remember(key, conversation) }
        return key
    }

    private func remember(_ key: ConversationKey, _ conversation: ConversationID) {
        cache.keys[conversation] = key
        cache.conversationNumbers[key] = conversation
    }

    func conversation(_ key: ConversationKey) throws(StoreError) -> ConversationID? {
        if let conversation = cache.conversationNumbers[key] { return conversation }
        guard let address = try knownNumber(of: key.address) else { return nil }
        let number = try connection.integer(
            "SELECT id FROM conversations WHERE account = ? AND address = ? AND kind = ?",
            [SQLiteValue(key.account), .integer(address), SQLiteValue(key.kind.rawValue)])
        guard let number else { return nil }
        remember(key, ConversationID(rawValue: number))
        return ConversationID(rawValue: number)
    }

    func openConversation(_ key: ConversationKey) throws(StoreError) -> ConversationID {
        if let conversation = try conversation(key) { return conversation }
        guard try address(of: key.account) != nil else {
            throw StoreError(.invalidRequest, "There is no such account.")
        }
        try connection.run(
            "INSERT INTO conversations (account, address, kind) VALUES (?, ?, ?)",
            [SQLiteValue(key.account), .integer(try number(of: key.address)), SQLiteValue(key.kind.rawValue)])
        let conversation = ConversationID(rawValue: connection.lastInsertedRow)
        remember(key, conversation)
        changes.conversations.insert(conversation)
        return conversation
    }

    func update(_ settings: ConversationSettings, of conversation: ConversationID) throws(StoreError) {
        try connection.run(
            """
            UPDATE conversations SET is_pinned = ?, pin_rank = ?, is_archived = ?, notifications = ?, muted_until = ?,
            is_unshared = ? WHERE id = ?
            """,
            [
                SQLiteValue(settings.isPinned), SQLiteValue(settings.pinRank), SQLiteValue(settings.isArchived),
                SQLiteValue(settings.notifications.rawValue), SQLiteValue(settings.mutedUntil),
                SQLiteValue(settings.isUnshared), SQLiteValue(conversation),
            ])
        guard connection.changedRows > 0 else {
            throw StoreError(.invalidRequest, "There is no such conversation.")
        }
        changes.conversations.insert(conversation)
    }

    func setMarkedUnread(_ isMarked: Bool, in conversation: ConversationID) throws(StoreError) {
        try connection.run(
            "UPDATE conversations SET is_marked_unread = ?1 WHERE id = ?2 AND is_marked_unread <> ?1",
            [SQLiteValue(isMarked), SQLiteValue(conversation)])
        if connection.changedRows > 0 { changes.conversations.insert(conversation) }
    }

    func noteBeginning(of conversation: ConversationID, at time: MessageTime) throws(StoreError) {
        try connection.run(
            "UPDATE conversations SET begun = ? WHERE id = ?", [SQLiteValue(time), SQLiteValue(conversation)])
        guard connection.changedRows > 0 else {
            throw StoreError(.invalidRequest, "There is no such conversation.")
        }
        changes.conversations.insert(conversation)
    }

    func removeConversation(_ conversation: ConversationID) throws(StoreError) {
        let key = try requireKey(of: conversation)
        try removeFromIndex(messagesOf: conversation)
        try connection.run("DELETE FROM conversations WHERE id = ?", [SQLiteValue(conversation)])
        cache.keys[conversation] = nil
        cache.conversationNumbers[key] = nil
        summaries[conversation] = nil
        cache.summaries[conversation] = nil
        changes.messages[conversation] = nil
        changes.conversations.insert(conversation)
        changes.sendQueue = true
        changes.contentsToSend = true
        events.conversationRemoved(conversation, key)
    }

    func hasWritten(in conversation: ConversationID) throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT 1 FROM messages WHERE conversation = ? AND kind = 0 AND flags & ? <> 0 LIMIT 1",
            [SQLiteValue(conversation), .integer(Flags.outgoing)]) != nil
    }

    // MARK: The list

    func conversations() throws(StoreError) -> [Conversation] {
        try finish()
        return try conversations(where: Self.isListed, [])
    }

    func conversation(_ id: ConversationID) throws(StoreError) -> Conversation? {
        try finish()
        return try conversations(where: "c.id = ?", [SQLiteValue(id)]).first
    }

    /// ``Conversation/isListed`` in SQL.
    private static let isListed = """
        c.last_message IS NOT NULL OR d.conversation IS NOT NULL OR c.kind = 1 OR c.is_pinned = 1 OR c.is_archived = 1
        OR c.notifications <> 0 OR c.muted_until IS NOT NULL OR c.is_marked_unread = 1
        OR c.begun IS NOT NULL
        """

    private func conversations(where condition: String, _ values: [SQLiteValue]) throws(StoreError) -> [Conversation] {
        struct Row {
            let id: ConversationID
            let key: ConversationKey
            let settings: ConversationSettings
            let last: MessageRecord?
            let unread: Int
            let draft: Draft?
            let isMarkedUnread: Bool
            let begun: MessageTime?
        }
        let rows = try connection.rows(
            """
            SELECT \(Self.columns), c.id, c.account, c.address, c.kind, c.is_pinned, c.is_archived, c.notifications,
            c.muted_until, c.unread, d.body, d.reply, d.edits, d.time, c.is_marked_unread, c.pin_rank, c.begun,
            c.is_unshared
            FROM conversations c
            LEFT JOIN drafts d ON d.conversation = c.id LEFT JOIN messages m ON m.id = c.last_message WHERE \(condition)
            ORDER BY c.is_pinned DESC, c.pin_rank IS NULL, c.pin_rank, coalesce(m.order_time, c.begun) DESC,
            m.order_rank DESC, m.id DESC, c.id DESC
            """, values
        ) { row throws(StoreError) in
            let first = Self.columnCount
            var settings = ConversationSettings(
                isPinned: row.bool(first + 4), pinRank: row.optionalInteger(first + 14).map { Int($0) },
                isArchived: row.bool(first + 5),
                notifications: ConversationSettings.Notifications(rawValue: Int(row.integer(first + 6))) ?? .all,
                mutedUntil: row.optionalTime(first + 7))
            settings.isUnshared = row.bool(first + 16)
            return Row(
                id: ConversationID(rawValue: row.integer(first)),
                key: ConversationKey(
                    account: AccountID(rawValue: row.integer(first + 1)), address: try address(row.integer(first + 2)),
                    kind: ConversationKey.Kind(rawValue: Int(row.integer(first + 3))) ?? .direct),
                settings: settings, last: row.isNull(0) ? nil : try record(from: row),
                unread: Int(row.integer(first + 8)),
                draft: row.isNull(first + 9)
                    ? nil
                    : Draft(
                        body: row.text(first + 9), reply: row.optionalMessageID(first + 10),
                        edits: row.optionalMessageID(first + 11),
                        time: row.time(first + 12)), isMarkedUnread: row.bool(first + 13),
                begun: row.optionalTime(first + 15))
        }
        var list: [Conversation] = []
        list.reserveCapacity(rows.count)
        for row in rows {
            remember(row.key, row.id)
            list.append(
                Conversation(
                    id: row.id, key: row.key, settings: row.settings,
                    lastMessage: try row.last.map { record throws(StoreError) in try assemble([record]).first } ?? nil,
                    unreadCount: row.unread, draft: row.draft, isMarkedUnread: row.isMarkedUnread, begun: row.begun))
        }
        return list
    }

    // MARK: Drafts

    func draft(in conversation: ConversationID) throws(StoreError) -> Draft? {
        try connection.firstRow(
            "SELECT body, reply, edits, time FROM drafts WHERE conversation = ?", [SQLiteValue(conversation)]
        ) { row throws(StoreError) in
            Draft(
                body: row.text(0), reply: row.optionalMessageID(1), edits: row.optionalMessageID(2), time: row.time(3))
        }
    }

    func saveDraft(_ draft: Draft?, in conversation: ConversationID) throws(StoreError) {
        _ = try requireKey(of: conversation)
        if let draft {
            try connection.run(
                "INSERT OR REPLACE INTO drafts (conversation, body, reply, edits, time) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLiteValue(conversation), .text(draft.body), SQLiteValue(draft.reply), SQLiteValue(draft.edits),
                    SQLiteValue(draft.time),
                ])
        } else {
            try connection.run("DELETE FROM drafts WHERE conversation = ?", [SQLiteValue(conversation)])
        }
        changes.conversations.insert(conversation)
    }
}
