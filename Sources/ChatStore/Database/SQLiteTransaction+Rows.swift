internal import Foundation
internal import XMPPAddress

extension SQLiteTransaction {
    /// The columns that ``record(from:)`` reads, the first ones of a row.
    static let columns = """
        m.id, m.conversation, m.kind, m.flags, m.sender, m.state, m.time_source, m.order_time, m.order_rank, m.wire_id, \
        m.archive, m.archive_id, m.body, m.time, m.origin_id, m.occupant_id, m.subject, m.thread, m.reply_archive, \
        m.reply_id, m.target_archive, m.target_id, m.target, m.current_edit, m.retraction, m.failure, m.media, m.stay, \
        m.protection, m.unreadable, m.link, m.receipts
        """
    /// How many they are: where the columns begin that a query puts behind them.
    static let columnCount: Int32 = 32
    private static let select = "SELECT \(columns) FROM messages m "
    private static let byID = select + "WHERE m.id = ?"
    // Only the number, which is in the index: nearly every message of an archive is new, and reading all columns takes
    // time even if there is no row. Several queries, because an OR would not use all indexes.
    private static let byArchive = "SELECT id FROM messages WHERE archive = ? AND archive_id = ?"
    private static let byFurtherName = "SELECT message FROM further_names WHERE archive = ? AND archive_id = ?"
    private static let byWireID = "SELECT id FROM messages WHERE wire_id = ? AND +conversation = ? ORDER BY id"
    private static let byOriginID = "SELECT id FROM messages WHERE origin_id = ? AND +conversation = ? ORDER BY id"
    private static let newest =
        select
        + "WHERE m.conversation = ? AND m.kind = 0 ORDER BY m.order_time DESC, m.order_rank DESC, m.id DESC LIMIT ?"
    // The first comparison selects the range of the index; the second decides among equal times.
    private static let before =
        select
            + """
            WHERE m.conversation = ?1 AND m.kind = 0 AND m.order_time <= ?2
            AND (m.order_time, m.order_rank, m.id) < (?2, ?3, ?4)
            ORDER BY m.order_time DESC, m.order_rank DESC, m.id DESC LIMIT ?5
            """
    private static let after =
        select
            + """
            WHERE m.conversation = ?1 AND m.kind = 0 AND m.order_time >= ?2
            AND (m.order_time, m.order_rank, m.id) > (?2, ?3, ?4)
            ORDER BY m.order_time, m.order_rank, m.id LIMIT ?5
            """
    private static let all = select + "WHERE m.id > ? ORDER BY m.id LIMIT ?"
    private static let byTarget = select + "WHERE m.target = ? ORDER BY m.order_time, m.order_rank, m.id"
    private static let waiting =
        select
            + """
            WHERE m.target_id = ?1 AND m.conversation = ?2 AND m.target IS NULL AND m.kind <> 0
            AND m.target_archive IS ?3 ORDER BY m.id
            """
    private static let sentBetween =
        select
            + """
            JOIN conversations c ON c.id = m.conversation WHERE m.id BETWEEN ?1 AND ?2 AND m.state = 3000 AND m.kind = 0
            AND c.account = ?3 AND m.order_time BETWEEN ?4 AND ?5 ORDER BY m.order_time, m.order_rank, m.id
            """

    enum Flags {
        static let outgoing: Int64 = 1
        static let originIsWire: Int64 = 2
        static let attachments: Int64 = 4
        static let reactions: Int64 = 8
    }

    func record(from row: SQLiteRow) throws(StoreError) -> MessageRecord {
        let flags = row.integer(3)
        let failure = try decodeFailure(row.optionalText(25))
        guard let kind = MessageContent.Kind(rawValue: Int(row.integer(2))),
            let state = MessageState(code: row.integer(5), failure: failure),
            let timeSource = TimeSource(rawValue: Int(row.integer(6)))
        else { throw StoreError(.corrupt, "\(connection.path) is damaged: a message cannot be read.") }
        let wireID = StoredIdentifier.decode(row.value(9))
        let orderTime = row.time(7)
        var record = MessageRecord(
            id: row.messageID(0), conversation: ConversationID(rawValue: row.integer(1)), kind: kind,
            sender: try address(row.integer(4)), occupantID: row.optionalText(15),
            isOutgoing: flags & Flags.outgoing != 0, wireID: wireID,
            originID: flags & Flags.originIsWire != 0 ? wireID : StoredIdentifier.decode(row.value(14)),
            time: row.optionalTime(13) ?? orderTime, timeSource: timeSource, orderTime: orderTime,
            orderRank: row.integer(8), state: state, body: row.optionalText(12), subject: row.optionalText(16),
            thread: row.optionalText(17))
        if let archive = row.optionalInteger(10), let id = StoredIdentifier.decode(row.value(11)) {
            record.archiveReference = ArchiveReference(archive: try archiveAddress(archive), id: id)
        }
        record.reply = try reference(archive: row.optionalInteger(18), id: row.value(19))
        record.targetReference = try reference(archive: row.optionalInteger(20), id: row.value(21))
        record.hasAttachments = flags & Flags.attachments != 0
        record.hasReactions = flags & Flags.reactions != 0
        record.target = row.optionalMessageID(22)
        record.currentEdit = row.optionalMessageID(23)
        record.retraction = row.optionalMessageID(24)
        record.media = MediaKinds(rawValue: Int(row.optionalInteger(26) ?? 0))
        record.stay = row.optionalInteger(27).map { OccupantStay(rawValue: $0) }
        record.protection = try protection(row.optionalInteger(28))
        record.unreadable = try unreadable(row.optionalInteger(29))
        record.storedLink = row.optionalText(30)
        record.storedReceipts = row.optionalText(31)
        return record
    }

    private func rows(_ sql: String, _ values: [SQLiteValue]) throws(StoreError) -> [MessageRecord] {
        try connection.rows(sql, values) { row throws(StoreError) in try record(from: row) }
    }

    // MARK: Reading

    func record(_ id: MessageID) throws(StoreError) -> MessageRecord? {
        try rows(Self.byID, [SQLiteValue(id)]).first
    }

    func record(archivedAs reference: ArchiveReference, account: AccountID) throws(StoreError) -> MessageRecord? {
        guard let archive = try knownArchive(reference.archive, of: account) else { return nil }
        let values = [SQLiteValue.integer(archive), StoredIdentifier.encode(reference.id)]
        var id = try connection.integer(Self.byArchive, values)
        if id == nil, try has(.furtherNames) { id = try connection.integer(Self.byFurtherName, values) }
        return try id.map { id throws(StoreError) in try record(MessageID(rawValue: id)) } ?? nil
    }

    func records(sentAs id: String, in conversation: ConversationID) throws(StoreError) -> [MessageRecord] {
        let values = [StoredIdentifier.encode(id), SQLiteValue(conversation)]
        var ids = try connection.rows(Self.byWireID, values) { row throws(StoreError) in row.messageID(0) }
        if try has(.origins) {
            ids += try connection.rows(Self.byOriginID, values) { row throws(StoreError) in row.messageID(0) }
            ids.sort()
        }
        var records: [MessageRecord] = []
        for id in ids {
            if let record = try record(id) { records.append(record) }
        }
        return records
    }

    func records(
        of conversation: ConversationID, before position: TimelinePosition?, limit: Int
    ) throws(StoreError) -> [MessageRecord] {
        guard let position else { return try rows(Self.newest, [SQLiteValue(conversation), SQLiteValue(limit)]) }
        return try rows(Self.before, values(conversation, position, limit))
    }

    func records(
        of conversation: ConversationID, after position: TimelinePosition, limit: Int
    ) throws(StoreError) -> [MessageRecord] {
        try rows(Self.after, values(conversation, position, limit))
    }

    private func values(_ conversation: ConversationID, _ position: TimelinePosition, _ limit: Int) -> [SQLiteValue] {
        [
            SQLiteValue(conversation), SQLiteValue(position.time), .integer(position.rank), SQLiteValue(position.id),
            SQLiteValue(limit),
        ]
    }

    func allRecords(after id: MessageID?, limit: Int) throws(StoreError) -> [MessageRecord] {
        try rows(Self.all, [.integer(id?.rawValue ?? .min), SQLiteValue(limit)])
    }

    func annotations(of target: MessageID) throws(StoreError) -> [MessageRecord] {
        try rows(Self.byTarget, [SQLiteValue(target)])
    }

    func waitingAnnotations(
        for reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> [MessageRecord] {
        guard try has(.waiting), let columns = try knownColumns(of: reference, in: conversation) else { return [] }
        return try rows(Self.waiting, [columns.id, SQLiteValue(conversation), columns.archive])
    }

    /// The columns of a reference; `nil` if no row can contain it.
    func knownColumns(
        of reference: TargetReference, in conversation: ConversationID
    ) throws(StoreError) -> (archive: SQLiteValue, id: SQLiteValue)? {
        guard case .archived(let name) = reference else {
            return try columns(of: reference, account: .init(rawValue: 0))
        }
        guard let archive = try knownArchive(name.archive, of: account(of: conversation)) else { return nil }
        return (.integer(archive), StoredIdentifier.encode(name.id))
    }

    func archiveReferences(of record: MessageRecord) throws(StoreError) -> [ArchiveReference] {
        guard try has(.furtherNames) else { return record.archiveReference.map { [$0] } ?? [] }
        let further = try connection.rows(
            "SELECT archive, archive_id FROM further_names WHERE message = ?", [SQLiteValue(record.id)]
        ) { row throws(StoreError) in
            ArchiveReference(
                archive: try archiveAddress(row.integer(0)), id: StoredIdentifier.decode(row.value(1)) ?? "")
        }
        return (record.archiveReference.map { [$0] } ?? []) + further
    }

    func firstIncoming(
        of conversation: ConversationID, after position: TimelinePosition?
    ) throws(StoreError) -> TimelinePosition? {
        let start = position ?? TimelinePosition(time: .init(millisecondsSince1970: .min), id: .init(rawValue: 0))
        return try connection.firstRow(
            """
            SELECT order_time, order_rank, id FROM messages WHERE conversation = ?1 AND kind = 0 AND order_time >= ?2
            AND (order_time, order_rank, id) > (?2, ?3, ?4) AND flags & 1 = 0 AND retraction IS NULL
            ORDER BY order_time, order_rank, id LIMIT 1
            """, Array(values(conversation, start, 1).prefix(4))
        ) { row throws(StoreError) in
            TimelinePosition(time: row.time(0), rank: row.integer(1), id: row.messageID(2))
        }
    }

    func lastDisplayed(in conversation: ConversationID) throws(StoreError) -> TimelinePosition? {
        try connection.firstRow(
            """
            SELECT order_time, order_rank, id FROM messages WHERE conversation = ? AND state = 6000
            ORDER BY order_time DESC, order_rank DESC, id DESC LIMIT 1
            """, [SQLiteValue(conversation)]
        ) { row throws(StoreError) in
            TimelinePosition(time: row.time(0), rank: row.integer(1), id: row.messageID(2))
        }
    }

    func unconfirmedRecords(
        of account: AccountID, sentIn time: ClosedRange<MessageTime>
    ) throws(StoreError) -> [MessageRecord] {
        try rows(
            Self.sentBetween,
            [
                .integer(MessageNumbering.first(in: time.lowerBound.advanced(by: -MessageNumbering.slack))),
                .integer(MessageNumbering.first(in: time.upperBound.advanced(by: MessageNumbering.slack))),
                SQLiteValue(account), SQLiteValue(time.lowerBound), SQLiteValue(time.upperBound),
            ])
    }

    // MARK: Failure reasons

    private struct Failure: Codable {
        var condition: String
        var text: String?
    }

    func encodeFailure(_ reason: FailureReason?) throws(StoreError) -> String? {
        guard let reason else { return nil }
        let failure = Failure(condition: reason.condition, text: reason.text)
        guard let data = try? JSONEncoder().encode(failure) else {
            throw StoreError(.invalidRequest, "The reason of a failure cannot be encoded.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The kind is not stored; it follows from the state.
    func decodeFailure(_ text: String?) throws(StoreError) -> FailureReason? {
        guard let text else { return nil }
        guard let failure = try? JSONDecoder().decode(Failure.self, from: Data(text.utf8)) else {
            throw StoreError(.corrupt, "\(connection.path) is damaged: the reason of a failure cannot be read.")
        }
        return FailureReason(.refused, condition: failure.condition, text: failure.text)
    }
}
