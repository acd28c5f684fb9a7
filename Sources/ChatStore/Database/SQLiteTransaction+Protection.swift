internal import Foundation

extension SQLiteTransaction {
    // MARK: What is known of a message

    func number(of protection: MessageProtection) throws(StoreError) -> SQLiteValue {
        if protection == .none { return .null }
        if let number = cache.protectionNumbers[protection] { return .integer(number) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(protection) else {
            throw StoreError(.invalidRequest, "The protection of a message cannot be written down.")
        }
        let facts = SQLiteValue.text(String(decoding: data, as: UTF8.self))
        try connection.run("INSERT OR IGNORE INTO protections (facts) VALUES (?)", [facts])
        guard let number = try connection.integer("SELECT id FROM protections WHERE facts = ?", [facts]) else {
            throw StoreError(.corrupt, "\(connection.path) is damaged: the protection of a message is missing.")
        }
        cache.keep(protection, number)
        return .integer(number)
    }

    func protection(_ number: Int64?) throws(StoreError) -> MessageProtection {
        guard let number else { return .none }
        if let known = cache.protections[number] { return known }
        let facts = try connection.firstRow("SELECT facts FROM protections WHERE id = ?", [.integer(number)]) {
            row throws(StoreError) in row.text(0)
        }
        // What cannot be read any more is shown as no protection: nothing is claimed that nobody knows.
        guard let facts, let protection = try? JSONDecoder().decode(MessageProtection.self, from: Data(facts.utf8))
        else { return .none }
        cache.keep(protection, number)
        return protection
    }

    // MARK: What the protection remembers

    func protectionRecords(
        of account: AccountID, beginningWith prefix: String
    ) throws(StoreError) -> [ProtectionChange.Record] {
        try connection.rows(
            """
            SELECT name, value FROM protection_records WHERE account = ?1 AND substr(name, 1, length(?2)) = ?2
            ORDER BY name
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
    }
}
