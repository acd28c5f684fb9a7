internal import XMPPAddress

extension SQLiteTransaction {
    private static let insertion = """
        INSERT INTO messages (id, conversation, kind, flags, sender, state, time_source, order_time, order_rank, wire_id,
        archive, archive_id, body, time, origin_id, occupant_id, subject, thread, reply_archive, reply_id,
        target_archive, target_id, target, current_edit, retraction, failure, media, stay,
        protection, unreadable, link, receipts)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let change = """
        UPDATE messages SET conversation = ?2, kind = ?3, flags = ?4, sender = ?5, state = ?6, time_source = ?7,
        order_time = ?8, order_rank = ?9, wire_id = ?10, archive = ?11, archive_id = ?12, body = ?13, time = ?14,
        origin_id = ?15, occupant_id = ?16, subject = ?17, thread = ?18, reply_archive = ?19, reply_id = ?20,
        target_archive = ?21, target_id = ?22, target = ?23, current_edit = ?24, retraction = ?25, failure = ?26,
        media = ?27, stay = ?28, protection = ?29, unreadable = ?30, link = ?31, receipts = ?32
        WHERE id = ?1
        """

    private func values(of record: MessageRecord) throws(StoreError) -> [SQLiteValue] {
        let account = try account(of: record.conversation)
        var flags: Int64 = 0
        if record.isOutgoing { flags |= Flags.outgoing }
        let originIsWire = record.originID != nil && record.originID == record.wireID
        if originIsWire { flags |= Flags.originIsWire }
        if record.hasAttachments { flags |= Flags.attachments }
        if record.hasReactions { flags |= Flags.reactions }
        let reply = try columns(of: record.reply, account: account)
        let target = try columns(of: record.targetReference, account: account)
        let named = try columns(of: record.archiveReference.map { .archived($0) }, account: account)
        return [
            SQLiteValue(record.id), SQLiteValue(record.conversation), SQLiteValue(record.kind.rawValue),
            .integer(flags), .integer(try number(of: record.sender)), .integer(record.state.code),
            SQLiteValue(record.timeSource.rawValue), SQLiteValue(record.orderTime), .integer(record.orderRank),
            StoredIdentifier.encode(record.wireID), named.archive, named.id, SQLiteValue(record.body),
            record.time == record.orderTime ? .null : SQLiteValue(record.time),
            originIsWire ? .null : StoredIdentifier.encode(record.originID), SQLiteValue(record.occupantID),
            SQLiteValue(record.subject), SQLiteValue(record.thread), reply.archive, reply.id, target.archive,
            target.id, SQLiteValue(record.target), SQLiteValue(record.currentEdit), SQLiteValue(record.retraction),
            SQLiteValue(try encodeFailure(record.state.failure)),
            record.media.isEmpty ? .null : SQLiteValue(record.media.rawValue),
            record.stay.map { .integer($0.rawValue) } ?? .null, try number(of: record.protection),
            try number(of: record.unreadable), SQLiteValue(record.storedLink), SQLiteValue(record.storedReceipts),
        ]
    }

    func insert(_ record: MessageRecord) throws(StoreError) -> MessageID {
        var record = record
        record.id = try MessageNumbering.next(at: record.orderTime, newest: &cache.newestMessage, in: connection)
        try connection.run(Self.insertion, values(of: record))
        noteRarities(of: record)
        try summaryAfterInsertion(of: record)
        return record.id
    }

    func update(_ record: MessageRecord, replacing old: MessageRecord) throws(StoreError) {
        try connection.run(Self.change, values(of: record))
        noteRarities(of: record)
        guard record.kind == .text else { return }
        if record.position != old.position || record.isOutgoing != old.isOutgoing
            || record.isRetracted != old.isRetracted
        {
            try noteOrderTime(record.orderTime, in: record.conversation)
            try requireRecount(of: record.conversation)
        }
    }

    func delete(_ record: MessageRecord) throws(StoreError) {
        try connection.run("DELETE FROM messages WHERE id = ?", [SQLiteValue(record.id)])
        if record.kind == .text { try requireRecount(of: record.conversation) }
    }

    func add(_ reference: ArchiveReference, to record: MessageRecord) throws(StoreError) {
        let archive = try archive(reference.archive, of: account(of: record.conversation))
        note(.furtherNames)
        try connection.run(
            "INSERT OR IGNORE INTO further_names (archive, archive_id, message) VALUES (?, ?, ?)",
            [.integer(archive), StoredIdentifier.encode(reference.id), SQLiteValue(record.id)])
    }

    // MARK: Attachments

    func attachments(of message: MessageID) throws(StoreError) -> [Attachment] {
        try connection.rows(
            """
            SELECT kind, media_type, name, size, width, height, duration, url, content_hash, is_local, thumbnail,
            playback FROM attachments WHERE message = ? ORDER BY position
            """, [SQLiteValue(message)]
        ) { row throws(StoreError) in
            Attachment(
                kind: Attachment.Kind(rawValue: Int(row.integer(0))) ?? .file, mediaType: row.optionalText(1),
                name: row.optionalText(2), size: row.optionalInteger(3), width: row.optionalInteger(4).map { Int($0) },
                height: row.optionalInteger(5).map { Int($0) }, duration: row.optionalInteger(6),
                url: row.optionalText(7), contentHash: row.optionalText(8), isLocal: row.bool(9),
                thumbnail: row.optionalBlob(10),
                playback: row.optionalInteger(11))
        }
    }

    func save(_ attachments: [Attachment], of message: MessageID) throws(StoreError) {
        try connection.run("DELETE FROM attachments WHERE message = ?", [SQLiteValue(message)])
        for (position, attachment) in attachments.enumerated() {
            try connection.run(
                """
                INSERT INTO attachments (message, position, kind, media_type, name, size, width, height, duration, url,
                content_hash, is_local, thumbnail, playback) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLiteValue(message), SQLiteValue(position), SQLiteValue(attachment.kind.rawValue),
                    SQLiteValue(attachment.mediaType), SQLiteValue(attachment.name), SQLiteValue(attachment.size),
                    SQLiteValue(attachment.width), SQLiteValue(attachment.height), SQLiteValue(attachment.duration),
                    SQLiteValue(attachment.url), SQLiteValue(attachment.contentHash), SQLiteValue(attachment.isLocal),
                    SQLiteValue(attachment.thumbnail), SQLiteValue(attachment.playback),
                ])
        }
    }

    // MARK: Pending marks and the read position

    func keep(
        _ mark: PendingMark, for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) {
        let columns = try columns(of: reference, account: account(of: conversation))
        note(.marks)
        try connection.run(
            """
            INSERT INTO pending_marks (conversation, kind, target_archive, target_id, state, failure, time)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, failure = excluded.failure
            WHERE excluded.state > state
            """,
            [
                SQLiteValue(conversation), SQLiteValue(mark.kind.rawValue),
                columns.archive == .null ? .integer(0) : columns.archive, columns.id, .integer(mark.state.code),
                SQLiteValue(try encodeFailure(mark.state.failure)), SQLiteValue(mark.time),
            ])
    }

    func discardMarks(
        _ kind: PendingMark.Kind, in conversation: ConversationID, before time: MessageTime, beyond count: Int
    ) throws(StoreError) {
        try connection.run(
            "DELETE FROM pending_marks WHERE conversation = ? AND kind = ? AND time < ?",
            [SQLiteValue(conversation), SQLiteValue(kind.rawValue), SQLiteValue(time)])
        try connection.run(
            """
            DELETE FROM pending_marks WHERE (conversation, target_archive, target_id, kind) IN (
                SELECT conversation, target_archive, target_id, kind FROM pending_marks
                WHERE conversation = ? AND kind = ? ORDER BY time DESC LIMIT -1 OFFSET ?)
            """, [SQLiteValue(conversation), SQLiteValue(kind.rawValue), SQLiteValue(count)])
    }

    func takeMarks(
        for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> [PendingMark] {
        guard try has(.marks), let columns = try knownColumns(of: reference, in: conversation) else { return [] }
        let values = [
            SQLiteValue(conversation), columns.archive == .null ? .integer(0) : columns.archive, columns.id,
        ]
        let marks = try connection.rows(
            """
            SELECT kind, state, failure, time FROM pending_marks
            WHERE conversation = ? AND target_archive = ? AND target_id = ?
            """, values
        ) { row throws(StoreError) -> PendingMark in
            let failure = try decodeFailure(row.optionalText(2))
            guard let kind = PendingMark.Kind(rawValue: Int(row.integer(0))),
                let state = MessageState(code: row.integer(1), failure: failure)
            else { throw StoreError(.corrupt, "\(connection.path) is damaged: a receipt cannot be read.") }
            return PendingMark(kind: kind, state: state, time: row.time(3))
        }
        if !marks.isEmpty {
            try connection.run(
                "DELETE FROM pending_marks WHERE conversation = ? AND target_archive = ? AND target_id = ?", values)
        }
        return marks
    }

    func readMessage(in conversation: ConversationID) throws(StoreError) -> MessageID? {
        try connection.integer("SELECT read_message FROM conversations WHERE id = ?", [SQLiteValue(conversation)])
            .map { MessageID(rawValue: $0) }
    }

    func setReadMessage(_ message: MessageID?, in conversation: ConversationID) throws(StoreError) {
        try connection.run(
            "UPDATE conversations SET read_message = ? WHERE id = ?", [SQLiteValue(message), SQLiteValue(conversation)])
        try requireRecount(of: conversation)
    }
}
