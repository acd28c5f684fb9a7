internal import Foundation
internal import XMPPAddress

extension SQLiteTransaction {
    // MARK: Accounts

    func accounts() throws(StoreError) -> [Account] { try accounts(where: "1", []) }

    func account(_ address: JID) throws(StoreError) -> Account? {
        guard let number = try knownNumber(of: address.bare) else { return nil }
        return try accounts(where: "address = ?", [.integer(number)]).first
    }

    private func accounts(where condition: String, _ values: [SQLiteValue]) throws(StoreError) -> [Account] {
        try connection.rows(
            """
            SELECT id, address, is_enabled, display_name, roster_version, last_online FROM accounts
            WHERE \(condition) ORDER BY id
            """, values
        ) { row throws(StoreError) in
            Account(
                id: AccountID(rawValue: row.integer(0)), address: try address(row.integer(1)), isEnabled: row.bool(2),
                displayName: row.optionalText(3), rosterVersion: row.optionalText(4),
                lastOnline: row.optionalTime(5))
        }
    }

    func address(of account: AccountID) throws(StoreError) -> JID? {
        let number = try connection.integer("SELECT address FROM accounts WHERE id = ?", [SQLiteValue(account)])
        return try number.map { number throws(StoreError) in try address(number) }
    }

    func addAccount(_ address: JID) throws(StoreError) -> AccountID {
        if let known = try account(address) { return known.id }
        try connection.run("INSERT INTO accounts (address) VALUES (?)", [.integer(try number(of: address.bare))])
        let account = AccountID(rawValue: connection.lastInsertedRow)
        changes.accounts.insert(account)
        return account
    }

    func update(_ account: Account) throws(StoreError) {
        try connection.run(
            "UPDATE accounts SET is_enabled = ?, display_name = ?, roster_version = ? WHERE id = ?",
            [
                SQLiteValue(account.isEnabled), SQLiteValue(account.displayName), SQLiteValue(account.rosterVersion),
                SQLiteValue(account.id),
            ])
        guard connection.changedRows > 0 else { throw StoreError(.invalidRequest, "There is no such account.") }
        changes.accounts.insert(account.id)
    }

    func noteOnline(_ account: AccountID, at time: MessageTime) throws(StoreError) {
        try connection.run(
            "UPDATE accounts SET last_online = max(?1, coalesce(last_online, ?1)) WHERE id = ?2",
            [SQLiteValue(time), SQLiteValue(account)])
    }

    func removeAccount(_ account: AccountID) throws(StoreError) {
        let conversations = try connection.rows(
            "SELECT id FROM conversations WHERE account = ?", [SQLiteValue(account)]
        ) { row throws(StoreError) in ConversationID(rawValue: row.integer(0)) }
        for conversation in conversations { try removeConversation(conversation) }
        if let address = try address(of: account) { events.note(.accountRemoved, address, of: account) }
        try connection.run("DELETE FROM accounts WHERE id = ?", [SQLiteValue(account)])
        try removeUnusedAvatars()
        cache.removeAll()
        changes.accounts.insert(account)
    }

    private func requireAccount(_ account: AccountID) throws(StoreError) {
        guard try address(of: account) != nil else { throw StoreError(.invalidRequest, "There is no such account.") }
    }

    // MARK: Contacts and rooms

    func contacts(of account: AccountID) throws(StoreError) -> [StoredContact] {
        try contacts(where: "c.account = ? ORDER BY coalesce(c.name, a.address), a.address", [SQLiteValue(account)])
    }

    func contact(_ address: JID, of account: AccountID) throws(StoreError) -> StoredContact? {
        guard let number = try knownNumber(of: address.bare) else { return nil }
        return try contacts(
            where: "c.account = ? AND c.address = ?", [SQLiteValue(account), .integer(number)]
        ).first
    }

    private func contacts(where condition: String, _ values: [SQLiteValue]) throws(StoreError) -> [StoredContact] {
        try connection.rows(
            """
            SELECT c.address, c.name, c.subscription, c.is_pending, c.is_approved, c.groups FROM contacts c
            JOIN addresses a ON a.id = c.address WHERE \(condition)
            """, values
        ) { row throws(StoreError) in
            // Most contacts are in no group, and decoding takes longer than reading all other columns.
            let text = row.text(5)
            let groups = text == "[]" ? [] : try? JSONDecoder().decode([String].self, from: Data(text.utf8))
            return StoredContact(
                address: try address(row.integer(0)), name: row.optionalText(1),
                subscription: StoredContact.Subscription(rawValue: row.text(2)) ?? .none, isPending: row.bool(3),
                isApproved: row.bool(4), groups: groups ?? [])
        }
    }

    func save(_ contact: StoredContact, of account: AccountID) throws(StoreError) {
        try requireAccount(account)
        guard let groups = try? JSONEncoder().encode(contact.groups) else {
            throw StoreError(.invalidRequest, "The groups of a contact cannot be encoded.")
        }
        try recordingContacts(contact.address, of: account) { () throws(StoreError) in
            try connection.run(
                """
                INSERT OR REPLACE INTO contacts (account, address, name, subscription, is_pending, is_approved, groups)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLiteValue(account), .integer(try number(of: contact.address)), SQLiteValue(contact.name),
                    .text(contact.subscription.rawValue), SQLiteValue(contact.isPending),
                    SQLiteValue(contact.isApproved), .text(String(decoding: groups, as: UTF8.self)),
                ])
        }
        changes.accounts.insert(account)
    }

    func removeContact(_ address: JID, of account: AccountID) throws(StoreError) {
        guard let number = try knownNumber(of: address.bare) else { return }
        try recordingContacts(address, of: account) { () throws(StoreError) in
            try connection.run(
                "DELETE FROM contacts WHERE account = ? AND address = ?", [SQLiteValue(account), .integer(number)])
        }
        changes.accounts.insert(account)
    }

    func replaceContacts(_ contacts: [StoredContact], version: String?, of account: AccountID) throws(StoreError) {
        try recordingContacts(of: account) { () throws(StoreError) in
            try connection.run("DELETE FROM contacts WHERE account = ?", [SQLiteValue(account)])
            for contact in contacts { try save(contact, of: account) }
        }
        try connection.run(
            "UPDATE accounts SET roster_version = ? WHERE id = ?", [SQLiteValue(version), SQLiteValue(account)])
        changes.accounts.insert(account)
    }

    func rooms(of account: AccountID) throws(StoreError) -> [StoredRoom] {
        try connection.rows(
            """
            SELECT r.address, r.nickname, r.name, r.subject, r.joins_automatically, r.occupant_id FROM rooms r
            JOIN addresses a ON a.id = r.address WHERE r.account = ? ORDER BY coalesce(r.name, a.address), a.address
            """, [SQLiteValue(account)]
        ) { row throws(StoreError) in
            StoredRoom(
                address: try address(row.integer(0)), nickname: row.optionalText(1), name: row.optionalText(2),
                subject: row.optionalText(3), joinsAutomatically: row.bool(4), occupantID: row.optionalText(5))
        }
    }

    func save(_ room: StoredRoom, of account: AccountID) throws(StoreError) {
        try requireAccount(account)
        try recordingRoom(room.address, of: account) { () throws(StoreError) in
            try connection.run(
                """
                INSERT OR REPLACE INTO rooms (account, address, nickname, name, subject, joins_automatically, occupant_id)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLiteValue(account), .integer(try number(of: room.address)), SQLiteValue(room.nickname),
                    SQLiteValue(room.name), SQLiteValue(room.subject), SQLiteValue(room.joinsAutomatically),
                    SQLiteValue(room.occupantID),
                ])
        }
        changes.accounts.insert(account)
    }

    func removeRoom(_ address: JID, of account: AccountID) throws(StoreError) {
        guard let number = try knownNumber(of: address.bare) else { return }
        try recordingRoom(address, of: account) { () throws(StoreError) in
            try connection.run(
                "DELETE FROM rooms WHERE account = ? AND address = ?", [SQLiteValue(account), .integer(number)])
        }
        changes.accounts.insert(account)
    }

    // MARK: Avatars

    func avatar(of address: JID, account: AccountID) throws(StoreError) -> StoredAvatar? {
        guard let number = try knownNumber(of: address) else { return nil }
        return try connection.firstRow(
            """
            SELECT d.hash, d.media_type, d.data FROM avatars a JOIN avatar_data d ON d.hash = a.hash
            WHERE a.account = ? AND a.address = ?
            """, [SQLiteValue(account), .integer(number)]
        ) { row throws(StoreError) in StoredAvatar(hash: row.text(0), mediaType: row.text(1), data: row.blob(2)) }
    }

    func avatarHashes(of account: AccountID) throws(StoreError) -> [JID: String] {
        let rows = try connection.rows(
            "SELECT address, hash FROM avatars WHERE account = ?", [SQLiteValue(account)]
        ) { row throws(StoreError) in (try address(row.integer(0)), row.text(1)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    func avatar(hash: String) throws(StoreError) -> StoredAvatar? {
        try connection.firstRow("SELECT media_type, data FROM avatar_data WHERE hash = ?", [.text(hash)]) {
            row throws(StoreError) in StoredAvatar(hash: hash, mediaType: row.text(0), data: row.blob(1))
        }
    }

    func saveAvatar(_ avatar: StoredAvatar?, of address: JID, account: AccountID) throws(StoreError) {
        try requireAccount(account)
        let number = SQLiteValue.integer(try number(of: address))
        if let avatar {
            try connection.run(
                "INSERT OR IGNORE INTO avatar_data (hash, media_type, data) VALUES (?, ?, ?)",
                [.text(avatar.hash), .text(avatar.mediaType), .blob(avatar.data)])
            try connection.run(
                "INSERT OR REPLACE INTO avatars (account, address, hash) VALUES (?, ?, ?)",
                [SQLiteValue(account), number, .text(avatar.hash)])
        } else {
            try connection.run(
                "DELETE FROM avatars WHERE account = ? AND address = ?", [SQLiteValue(account), number])
        }
        try removeUnusedAvatars()
        changes.accounts.insert(account)
    }

    // MARK: Published names

    func publishedNames(of account: AccountID) throws(StoreError) -> [JID: String] {
        let rows = try connection.rows(
            "SELECT address, name FROM published_names WHERE account = ?", [SQLiteValue(account)]
        ) { row throws(StoreError) in (try address(row.integer(0)), row.text(1)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    func savePublishedName(_ name: String?, of address: JID, account: AccountID) throws(StoreError) {
        try requireAccount(account)
        let number = SQLiteValue.integer(try number(of: address.bare))
        if let name {
            try connection.run(
                "INSERT OR REPLACE INTO published_names (account, address, name) VALUES (?, ?, ?)",
                [SQLiteValue(account), number, .text(name)])
        } else {
            try connection.run(
                "DELETE FROM published_names WHERE account = ? AND address = ?", [SQLiteValue(account), number])
        }
        changes.accounts.insert(account)
    }

    private func removeUnusedAvatars() throws(StoreError) {
        try connection.run(
            "DELETE FROM avatar_data WHERE NOT EXISTS (SELECT 1 FROM avatars WHERE avatars.hash = avatar_data.hash)")
    }
}
