/// Assigns message numbers that grow with time, so that the table and the search index are nearly in the order of time
/// without a further index.
///
/// Time is divided into slots of 4096 ms with 16 numbers each. Further messages of a slot get a number at the end of
/// about an hour; their position in the timeline is not affected. Closer numbers would make the search index smaller,
/// more numbers per slot would make it larger: a posting is the distance to the next.
enum MessageNumbering {
    private static let stretch: Int64 = 4096
    private static let room: Int64 = 16
    /// The maximum difference between a message's number and its time, in milliseconds.
    static let slack: Int64 = stretch * 1024

    static func first(in time: MessageTime) -> Int64 { max(time.millisecondsSince1970, 0) / stretch * room + 1 }

    /// - Parameter newest: the highest number in use, updated if the new one is higher.
    static func next(
        at time: MessageTime, newest: inout Int64?, in connection: SQLiteConnection
    ) throws(StoreError) -> MessageID {
        let first = first(in: time)
        // A message newer than all others needs no query.
        var last = newest ?? 0
        if newest == nil { last = try connection.integer("SELECT max(id) FROM messages") ?? 0 }
        let next = first > last ? MessageID(rawValue: first) : try next(from: first, in: connection)
        newest = max(last, next.rawValue)
        return next
    }

    private static func next(from first: Int64, in connection: SQLiteConnection) throws(StoreError) -> MessageID {
        let used = try last(before: first + room, from: first, connection)
        if let used, used + 1 >= first + room {
            // A flood of messages, or an archive that stamps everything with the same time.
            let end = first + room * 1024
            let last = try last(before: end, from: first, connection) ?? first
            if last + 1 < end { return MessageID(rawValue: last + 1) }
            let newest = try connection.integer("SELECT max(id) FROM messages") ?? 0
            return MessageID(rawValue: max(newest, end) + 1)
        }
        return MessageID(rawValue: used.map { $0 + 1 } ?? first)
    }

    private static func last(
        before end: Int64, from start: Int64, _ connection: SQLiteConnection
    ) throws(StoreError) -> Int64? {
        try connection.integer(
            "SELECT id FROM messages WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1",
            [.integer(start), .integer(end)])
    }
}
