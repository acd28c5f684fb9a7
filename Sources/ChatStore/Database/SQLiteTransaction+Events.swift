internal import XMPPAddress

extension SQLiteTransaction {
    /// The name of the property with the identity of the log.
    static let eventLogProperty = "event_log"

    // MARK: Recording

    /// Begins to collect events, if there are readers.
    func beginRecording() throws(StoreError) {
        if cache.hasEventReaders == nil {
            cache.hasEventReaders = try connection.integer("SELECT 1 FROM event_readers LIMIT 1") != nil
        }
        events.isRecording = cache.hasEventReaders == true
    }

    /// Stores the events of the transaction, at its end.
    func record() throws(StoreError) {
        let entries = try events.entries { conversation throws(StoreError) in try key(of: conversation) }
        guard !entries.isEmpty else { return }
        for entry in entries {
            try connection.run(
                "INSERT INTO events (kind, account, address, conversation_kind, message) VALUES (?, ?, ?, ?, ?)",
                [
                    .integer(entry.kind.rawValue), SQLiteValue(entry.account),
                    .integer(try number(of: entry.address)),
                    entry.conversationKind.map { SQLiteValue($0.rawValue) } ?? .null, SQLiteValue(entry.message),
                ])
        }
        let newest = connection.lastInsertedRow
        let interval = EventLog.trimmingInterval
        if newest / interval != (newest - Int64(entries.count)) / interval { try trim(newest) }
    }

    /// Removes what exceeds the limit of the log, and the readers that have missed it.
    private func trim(_ newest: Int64) throws(StoreError) {
        let lost = newest - EventLog.limit
        guard lost > 0 else { return }
        try connection.run("DELETE FROM events WHERE position <= ?", [.integer(lost)])
        try connection.run("DELETE FROM event_readers WHERE acknowledged < ?", [.integer(lost)])
        cache.hasEventReaders = nil
    }

    // MARK: Reading

    func eventLog() throws(StoreError) -> EventLog? {
        let identity = try connection.firstRow(
            "SELECT value FROM properties WHERE name = ?", [.text(Self.eventLogProperty)]
        ) { row throws(StoreError) in row.text(0) }
        guard let identity else { return nil }
        let oldest = try connection.integer("SELECT min(position) FROM events")
        let newest = try connection.integer("SELECT max(position) FROM events")
        return EventLog(identity: identity, removed: (oldest ?? 1) - 1, newest: newest ?? 0)
    }

    func events(after position: Int64, limit: Int) throws(StoreError) -> [StoredEvent] {
        let rows = try connection.rows(
            """
            SELECT position, kind, account, address, conversation_kind, message FROM events WHERE position > ?
            ORDER BY position LIMIT ?
            """, [.integer(position), .integer(Int64(limit))]
        ) { row throws(StoreError) -> StoredEvent? in
            guard let kind = StoredEvent.Kind(rawValue: row.integer(1)) else { return nil }
            return StoredEvent(
                position: row.integer(0), kind: kind, account: AccountID(rawValue: row.integer(2)),
                address: try address(row.integer(3)),
                conversationKind: row.optionalInteger(4).flatMap { ConversationKey.Kind(rawValue: Int($0)) },
                message: row.optionalMessageID(5))
        }
        return rows.compactMap { $0 }
    }

    func eventReaders() throws(StoreError) -> [EventReader] {
        try connection.rows("SELECT name, created, acknowledged FROM event_readers ORDER BY name") {
            row throws(StoreError) in
            EventReader(name: row.text(0), created: row.time(1), acknowledged: row.integer(2))
        }
    }

    // MARK: Readers

    func addEventReader(_ name: String, at time: MessageTime) throws(StoreError) -> EventReader {
        let readers = try eventReaders()
        if let known = readers.first(where: { $0.name == name }) { return known }
        guard readers.count < EventLog.readerLimit else { throw .tooManyEventReaders }
        if readers.isEmpty {
            // What happened without a reader was not recorded, so this is another log.
            try connection.run("DELETE FROM events")
            try connection.run(
                "INSERT OR REPLACE INTO properties (name, value) VALUES (?, lower(hex(randomblob(8))))",
                [.text(Self.eventLogProperty)])
        }
        let newest = try connection.integer("SELECT max(position) FROM events") ?? 0
        try connection.run(
            "INSERT INTO event_readers (name, created, acknowledged) VALUES (?, ?, ?)",
            [.text(name), SQLiteValue(time), .integer(newest)])
        cache.hasEventReaders = true
        return EventReader(name: name, created: time, acknowledged: newest)
    }

    func acknowledgeEvents(upTo position: Int64, by reader: String) throws(StoreError) {
        let newest = try connection.integer("SELECT max(position) FROM events") ?? 0
        guard position <= newest else { throw .noSuchEvent }
        try connection.run(
            "UPDATE event_readers SET acknowledged = max(acknowledged, ?) WHERE name = ?",
            [.integer(position), .text(reader)])
        guard connection.changedRows > 0 else { throw .noSuchEventReader }
        try removeHandledEvents(newest)
    }

    func removeEventReader(_ name: String) throws(StoreError) {
        try connection.run("DELETE FROM event_readers WHERE name = ?", [.text(name)])
        guard connection.changedRows > 0 else { return }
        cache.hasEventReaders = nil
        if try connection.integer("SELECT 1 FROM event_readers LIMIT 1") == nil {
            try connection.run("DELETE FROM events")
            try connection.run("DELETE FROM properties WHERE name = ?", [.text(Self.eventLogProperty)])
        } else {
            try removeHandledEvents(try connection.integer("SELECT max(position) FROM events") ?? 0)
        }
    }

    private func removeHandledEvents(_ newest: Int64) throws(StoreError) {
        let handled = try connection.integer("SELECT min(acknowledged) FROM event_readers") ?? newest
        try connection.run("DELETE FROM events WHERE position <= ?", [.integer(min(handled, newest - 1))])
    }
}
