extension SQLiteTransaction {
    /// Places of messages whose files are of exactly these kinds. All of it is read from the index.
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
        // Few sets are in use, and one that is not costs a look into the index; so each is asked for, and the newest of all count.
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
