internal import XMPPAddress

/// The numbers of addresses and archives that one connection has read.
///
/// Addresses are never removed and archive numbers never reused, so an entry stays valid; only entries that a
/// transaction has added are removed if it fails.
final class ConnectionCache {
    /// The maximum number of addresses before the cache is emptied: a large room has some thousand occupants.
    private static let limit = 20_000

    private var numbers: [JID: Int64] = [:]
    private var addresses: [Int64: JID] = [:]
    private var archiveNumbers: [ArchiveKey: Int64] = [:]
    private var archives: [Int64: ArchiveKey] = [:]
    /// The one that was looked up last: the messages of a page are of one archive.
    private var lastArchive: (key: ArchiveKey, number: Int64)?
    /// What is known of the protection of messages, which is never removed, either.
    private(set) var protections: [Int64: MessageProtection] = [:]
    private(set) var protectionNumbers: [MessageProtection: Int64] = [:]
    /// The number of entries after which the cache is cleared: one for each sending device and each reason.
    private static let protectionLimit = 1_000

    /// The highest number of a message. Only the writer's value stays valid, because only the writer adds messages.
    var newestMessage: Int64?
    /// Whether rare kinds of rows exist; valid as long as ``newestMessage``.
    var rarities: [SQLiteTransaction.Rarity: Bool] = [:]
    /// The key of a conversation never changes, but conversations are added and removed; valid as long as
    /// ``newestMessage``.
    var keys: [ConversationID: ConversationKey] = [:]
    var conversationNumbers: [ConversationKey: ConversationID] = [:]
    /// The summaries in the rows of conversations; valid as long as ``newestMessage``.
    var summaries: [ConversationID: ConversationSummary] = [:]

    /// Whether the event log has readers; valid as long as ``newestMessage``.
    var hasEventReaders: Bool?

    /// The writer's record of when rows were counted last.
    var growth = GrowthAllowance()

    struct ArchiveKey: Hashable {
        let account: AccountID
        let address: JID
    }

    func removeAll() {
        numbers = [:]
        addresses = [:]
        archiveNumbers = [:]
        archives = [:]
        lastArchive = nil
        protections = [:]
        protectionNumbers = [:]
        forgetSnapshot()
    }

    /// Removes everything that other connections may have changed.
    func forgetSnapshot() {
        newestMessage = nil
        rarities = [:]
        keys = [:]
        conversationNumbers = [:]
        summaries = [:]
        hasEventReaders = nil
    }

    func number(of address: JID, in connection: SQLiteConnection) throws(StoreError) -> Int64? {
        if let number = numbers[address] { return number }
        let found = try connection.integer(
            "SELECT id FROM addresses WHERE address = ?", [.text(address.description)])
        if let found { keep(address, found) }
        return found
    }

    func addNumber(of address: JID, in connection: SQLiteConnection) throws(StoreError) -> Int64 {
        if let number = try number(of: address, in: connection) { return number }
        try connection.run("INSERT INTO addresses (address) VALUES (?)", [.text(address.description)])
        let number = connection.lastInsertedRow
        keep(address, number)
        return number
    }

    func address(_ number: Int64, in connection: SQLiteConnection) throws(StoreError) -> JID {
        if let address = addresses[number] { return address }
        let text = try connection.firstRow("SELECT address FROM addresses WHERE id = ?", [.integer(number)]) {
            row throws(StoreError) in row.text(0)
        }
        guard let text, let address = try? JID(text) else {
            throw StoreError(.corrupt, "\(connection.path) is damaged: an address is missing or invalid.")
        }
        keep(address, number)
        return address
    }

    private func keep(_ address: JID, _ number: Int64) {
        if addresses.count >= Self.limit {
            addresses = [:]
            numbers = [:]
        }
        addresses[number] = address
        numbers[address] = number
    }

    func keep(_ protection: MessageProtection, _ number: Int64) {
        if protections.count >= Self.protectionLimit {
            protections = [:]
            protectionNumbers = [:]
        }
        protections[number] = protection
        protectionNumbers[protection] = number
    }

    func archive(_ key: ArchiveKey, in connection: SQLiteConnection) throws(StoreError) -> Int64? {
        if let lastArchive, lastArchive.key == key { return lastArchive.number }
        if let number = archiveNumbers[key] {
            lastArchive = (key, number)
            return number
        }
        guard let address = try number(of: key.address, in: connection) else { return nil }
        let found = try connection.integer(
            "SELECT id FROM archives WHERE account = ? AND address = ?", [SQLiteValue(key.account), .integer(address)])
        if let found {
            archiveNumbers[key] = found
            archives[found] = key
        }
        return found
    }

    func addArchive(_ key: ArchiveKey, in connection: SQLiteConnection) throws(StoreError) -> Int64 {
        if let number = try archive(key, in: connection) { return number }
        let address = try addNumber(of: key.address, in: connection)
        try connection.run(
            "INSERT INTO archives (account, address) VALUES (?, ?)", [SQLiteValue(key.account), .integer(address)])
        let number = connection.lastInsertedRow
        archiveNumbers[key] = number
        archives[number] = key
        return number
    }

    func archive(_ number: Int64, in connection: SQLiteConnection) throws(StoreError) -> ArchiveKey {
        if let key = archives[number] { return key }
        let row = try connection.firstRow(
            "SELECT account, address FROM archives WHERE id = ?", [.integer(number)]
        ) { row throws(StoreError) in (row.integer(0), row.integer(1)) }
        guard let row else {
            throw StoreError(.corrupt, "\(connection.path) is damaged: an archive is missing.")
        }
        let key = ArchiveKey(
            account: AccountID(rawValue: row.0), address: try address(row.1, in: connection))
        archives[number] = key
        archiveNumbers[key] = number
        return key
    }
}
