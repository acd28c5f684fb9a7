internal import XMPPAddress

/// One transaction on one connection: the storage behind the rules.
final class SQLiteTransaction: RecordStorage {
    let connection: SQLiteConnection
    let cache: ConnectionCache
    var changes = StoreChanges()
    var events = EventDraft()
    /// The summaries of the conversations that the transaction has touched; written at its end.
    var summaries: [ConversationID: ConversationSummary] = [:]
    /// The number of messages that the transaction has added to the queue of the search index.
    var unindexed = 0
    /// Those of them that are not stored in that queue yet: inserting all at once takes half the time.
    var toIndex: [MessageID] = []

    init(_ connection: SQLiteConnection, cache: ConnectionCache) {
        self.connection = connection
        self.cache = cache
    }

    func needsRecount(_ place: GrowthAllowance.Place, adding amount: Int, every interval: Int) -> Bool {
        cache.growth.needsRecount(place, adding: amount, every: interval)
    }

    // MARK: Addresses and archives

    func number(of address: JID) throws(StoreError) -> Int64 {
        try cache.addNumber(of: address, in: connection)
    }

    /// `nil` if the address is not stored, so that no row can contain it.
    func knownNumber(of address: JID) throws(StoreError) -> Int64? {
        try cache.number(of: address, in: connection)
    }

    func address(_ number: Int64) throws(StoreError) -> JID { try cache.address(number, in: connection) }

    func archive(_ address: JID, of account: AccountID) throws(StoreError) -> Int64 {
        try cache.addArchive(.init(account: account, address: address), in: connection)
    }

    func knownArchive(_ address: JID, of account: AccountID) throws(StoreError) -> Int64? {
        try cache.archive(.init(account: account, address: address), in: connection)
    }

    func archiveAddress(_ number: Int64) throws(StoreError) -> JID {
        try cache.archive(number, in: connection).address
    }

    func account(of conversation: ConversationID) throws(StoreError) -> AccountID {
        try requireKey(of: conversation).account
    }

    // MARK: References

    /// The two columns of a reference.
    func columns(
        of reference: TargetReference?, account: AccountID
    ) throws(StoreError) -> (archive: SQLiteValue, id: SQLiteValue) {
        switch reference {
        case nil: (.null, .null)
        case .sent(let id): (.null, StoredIdentifier.encode(id))
        case .archived(let name):
            (.integer(try archive(name.archive, of: account)), StoredIdentifier.encode(name.id))
        }
    }

    func reference(archive: Int64?, id: SQLiteValue) throws(StoreError) -> TargetReference? {
        guard let id = StoredIdentifier.decode(id) else { return nil }
        guard let archive else { return .sent(id: id) }
        return .archived(ArchiveReference(archive: try archiveAddress(archive), id: id))
    }

    // MARK: Rare rows

    enum Rarity: Hashable {
        case marks
        case waiting
        case furtherNames
        case origins

        fileprivate var query: String {
            switch self {
            case .marks: "SELECT 1 FROM pending_marks LIMIT 1"
            case .waiting: "SELECT 1 FROM messages WHERE target IS NULL AND kind <> 0 LIMIT 1"
            case .furtherNames: "SELECT 1 FROM further_names LIMIT 1"
            case .origins: "SELECT 1 FROM messages WHERE origin_id IS NOT NULL LIMIT 1"
            }
        }
    }

    /// Whether any row of a rare kind exists, so that most messages need no query for it.
    func has(_ rarity: Rarity) throws(StoreError) -> Bool {
        if let known = cache.rarities[rarity] { return known }
        let found = try connection.integer(rarity.query) != nil
        cache.rarities[rarity] = found
        return found
    }

    var hasWaiting: Bool {
        get throws(StoreError) {
            if try has(.marks) { return true }
            return try has(.waiting)
        }
    }

    func noteRarities(of record: MessageRecord) {
        if record.kind != .text, record.target == nil { note(.waiting) }
        if record.originID != nil, record.originID != record.wireID { note(.origins) }
    }

    func note(_ rarity: Rarity) { cache.rarities[rarity] = true }

    // MARK: Completion

    /// Writes deferred changes: at the end of a writing transaction, and before the list is read inside one.
    func finish() throws(StoreError) {
        try saveUnindexed()
        for (conversation, summary) in summaries {
            cache.summaries[conversation] = try write(summary, of: conversation)
        }
        summaries = [:]
    }
}
