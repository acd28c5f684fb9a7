internal import XMPPAddress

/// One transaction on one connection: the rows behind the rules.
final class SQLiteTransaction: RecordStorage {
    let connection: SQLiteConnection
    let cache: ConnectionCache
    var changes = StoreChanges()
    /// What the transaction knows of conversations it touched; written at its end.
    var summaries: [ConversationID: ConversationSummary] = [:]
    /// How many messages the transaction has put aside for the search index.
    var unindexed = 0
    /// Those of them that do not stand in the table yet: all at once is half the work of one by one.
    var toIndex: [MessageID] = []

    var growth: GrowthAllowance {
        get { cache.growth }
        set { cache.growth = newValue }
    }

    init(_ connection: SQLiteConnection, cache: ConnectionCache) {
        self.connection = connection
        self.cache = cache
    }

    // MARK: Addresses and archives

    func number(of address: JID) throws(StoreError) -> Int64 {
        try cache.addNumber(of: address, in: connection)
    }

    /// `nil` where the address stands nowhere, so that no row can have it.
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

    // MARK: What is rare

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

    /// Whether there is anything at all of what is rare, so that it need not be looked for with every message.
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

    // MARK: The end

    /// Writes what was put off: at the end of a writing transaction, and before the list is asked for inside one.
    func finish() throws(StoreError) {
        try putAside()
        for (conversation, summary) in summaries {
            cache.summaries[conversation] = try write(summary, of: conversation)
        }
        summaries = [:]
    }
}
