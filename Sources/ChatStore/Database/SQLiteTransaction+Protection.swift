internal import Foundation

extension SQLiteTransaction {
    // MARK: What is known of a message

    func number(of protection: MessageProtection) throws(StoreError) -> SQLiteValue {
        if protection == .none { return .null }
        if let number = cache.protectionNumbers[protection] { return .integer(number) }
        let number = try number(ofFacts: protection)
        cache.keep(protection, number)
        return .integer(number)
    }

    func number(of unreadable: [ProtectionError.Recipient]) throws(StoreError) -> SQLiteValue {
        unreadable.isEmpty ? .null : .integer(try number(ofFacts: unreadable))
    }

    private func json(_ value: some Encodable) throws(StoreError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            throw StoreError(.invalidRequest, "The protection of a message cannot be encoded.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func number(ofFacts value: some Encodable) throws(StoreError) -> Int64 {
        let facts = SQLiteValue.text(try json(value))
        try connection.run("INSERT OR IGNORE INTO protections (facts) VALUES (?)", [facts])
        guard let number = try connection.integer("SELECT id FROM protections WHERE facts = ?", [facts]) else {
            throw StoreError(.corrupt, "\(connection.path) is damaged: the protection of a message is missing.")
        }
        return number
    }

    func protection(_ number: Int64?) throws(StoreError) -> MessageProtection {
        guard let number else { return .none }
        if let known = cache.protections[number] { return known }
        // What cannot be read any more is shown as no protection.
        guard let protection = try facts(number, as: MessageProtection.self) else { return .none }
        cache.keep(protection, number)
        return protection
    }

    func unreadable(_ number: Int64?) throws(StoreError) -> [ProtectionError.Recipient] {
        guard let number else { return [] }
        return try facts(number, as: [ProtectionError.Recipient].self) ?? []
    }

    private func facts<Facts: Decodable>(_ number: Int64, as type: Facts.Type) throws(StoreError) -> Facts? {
        let facts = try connection.firstRow("SELECT facts FROM protections WHERE id = ?", [.integer(number)]) {
            row throws(StoreError) in row.text(0)
        }
        return facts.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    // MARK: Notices

    func notices(
        of conversation: ConversationID, in times: ClosedRange<MessageTime>
    ) throws(StoreError) -> [StoredNotice] {
        guard let address = try key(of: conversation)?.conversation else { return [] }
        return try connection.rows(
            "SELECT id, time, kind, key FROM notices WHERE conversation = ? AND time BETWEEN ? AND ? ORDER BY time, id",
            [SQLiteValue(conversation), SQLiteValue(times.lowerBound), SQLiteValue(times.upperBound)]
        ) { row throws(StoreError) -> StoredNotice? in
            // A kind of a later version is not shown.
            guard let kind = ConversationNotice.Kind(rawValue: row.text(2)) else { return nil }
            let key = row.optionalText(3).flatMap {
                try? JSONDecoder().decode(ConversationNotice.Key.self, from: Data($0.utf8))
            }
            return StoredNotice(
                id: row.integer(0), notice: ConversationNotice(kind, in: address, at: row.time(1), key: key))
        }.compactMap { $0 }
    }

    func add(_ notice: ConversationNotice, to conversation: ConversationID, limit: Int) throws(StoreError) {
        try connection.run(
            "INSERT INTO notices (conversation, time, kind, key) VALUES (?, ?, ?, ?)",
            [
                SQLiteValue(conversation), SQLiteValue(notice.time), .text(notice.kind.rawValue),
                SQLiteValue(try notice.key.map { key throws(StoreError) in try json(key) }),
            ])
        try connection.run(
            """
            DELETE FROM notices WHERE id IN (
                SELECT id FROM notices WHERE conversation = ? ORDER BY time DESC, id DESC LIMIT -1 OFFSET ?)
            """, [SQLiteValue(conversation), SQLiteValue(limit)])
    }

    // MARK: What the protection remembers

    func protectionRecords(
        of account: AccountID, beginningWith prefix: String
    ) throws(StoreError) -> [ProtectionChange.Record] {
        try connection.rows(
            """
            SELECT name, value FROM protection_records WHERE account = ?1 AND name >= ?2
            AND name < ?2 || char(0x10FFFF) ORDER BY name
            """,
            [SQLiteValue(account), .text(prefix)]
        ) { row throws(StoreError) in
            ProtectionChange.Record(row.text(0), row.optionalBlob(1) ?? [])
        }
    }

    func save(_ change: ProtectionChange, of account: AccountID) throws(StoreError) {
        for record in change.records {
            if let value = record.value {
                try connection.run(
                    "INSERT OR REPLACE INTO protection_records (account, name, value) VALUES (?, ?, ?)",
                    [SQLiteValue(account), .text(record.name), .blob(value)])
            } else {
                try connection.run(
                    "DELETE FROM protection_records WHERE account = ? AND name = ?",
                    [SQLiteValue(account), .text(record.name)])
            }
        }
        try keep(change.notices, of: account)
    }
}
