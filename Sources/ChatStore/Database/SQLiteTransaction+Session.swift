internal import Foundation
internal import XMPPAddress
internal import XMPPStream

extension SQLiteTransaction {
    // MARK: Presences

    func presences(of account: AccountID) throws(StoreError) -> [StoredPresence] {
        let rows = try connection.rows(
            "SELECT address, kind, show, status, priority FROM presences WHERE account = ? ORDER BY address, kind",
            [SQLiteValue(account)]
        ) { row throws(StoreError) -> StoredPresence? in
            guard let address = try? JID(row.text(0)), let kind = StoredPresence.Kind(rawValue: Int(row.integer(1)))
            else { return nil }
            return StoredPresence(
                address: address, kind: kind, show: row.optionalText(2), status: row.optionalText(3),
                priority: Int(row.integer(4)))
        }
        return rows.compactMap { $0 }
    }

    func savePresence(_ presence: StoredPresence, of account: AccountID) throws(StoreError) {
        try recordingRequest(presence, of: account) { () throws(StoreError) in
            try connection.run(
                """
                INSERT OR REPLACE INTO presences (account, address, kind, show, status, priority)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLiteValue(account), .text(presence.address.description), SQLiteValue(presence.kind.rawValue),
                    SQLiteValue(presence.show), SQLiteValue(presence.status), SQLiteValue(presence.priority),
                ])
        }
    }

    func removePresence(_ kind: StoredPresence.Kind, of address: JID, account: AccountID) throws(StoreError) {
        let text = address.description
        // A bare address includes all devices; `0` follows `/` in ASCII.
        try connection.run(
            """
            DELETE FROM presences WHERE account = ?1 AND kind = ?2
            AND (address = ?3 OR ?6 AND address > ?4 AND address < ?5)
            """,
            [
                SQLiteValue(account), SQLiteValue(kind.rawValue), .text(text), .text(text + "/"), .text(text + "0"),
                SQLiteValue(address.isBare),
            ])
    }

    func removePresences(_ kind: StoredPresence.Kind, of account: AccountID) throws(StoreError) {
        try connection.run(
            "DELETE FROM presences WHERE account = ? AND kind = ?", [SQLiteValue(account), SQLiteValue(kind.rawValue)])
    }

    // MARK: Capabilities

    func capabilities(algorithm: String, hash: String) throws(StoreError) -> [UInt8]? {
        try connection.firstRow(
            "SELECT information FROM capabilities WHERE algorithm = ? AND hash = ?", [.text(algorithm), .text(hash)]
        ) { row throws(StoreError) in row.blob(0) }
    }

    func saveCapabilities(_ information: [UInt8], algorithm: String, hash: String) throws(StoreError) {
        try connection.run(
            "INSERT OR REPLACE INTO capabilities (algorithm, hash, information) VALUES (?, ?, ?)",
            [.text(algorithm), .text(hash), .blob(information)])
    }

    // MARK: Session

    func session(of account: AccountID) throws(StoreError) -> ResumptionState? {
        let data = try connection.firstRow("SELECT state FROM sessions WHERE account = ?", [SQLiteValue(account)]) {
            row throws(StoreError) in row.blob(0)
        }
        // A state that cannot be decoded is no loss: a new session is started and the archive fills the gap.
        return data.flatMap { try? JSONDecoder().decode(ResumptionState.self, from: Data($0)) }
    }

    func saveSession(_ state: ResumptionState?, of account: AccountID) throws(StoreError) {
        guard let state else {
            return try connection.run("DELETE FROM sessions WHERE account = ?", [SQLiteValue(account)])
        }
        guard let data = try? JSONEncoder().encode(state) else {
            throw StoreError(.invalidRequest, "The state of the session cannot be encoded.")
        }
        try connection.run(
            "INSERT OR REPLACE INTO sessions (account, state) VALUES (?, ?)",
            [SQLiteValue(account), .blob(Array(data))])
    }
}
