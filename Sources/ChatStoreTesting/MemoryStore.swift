public import ChatStore
import MessageSemantics
import XMPPAddress
import XMPPStream

/// A store without a file, for tests: what it contains ends with it. The rules about messages are those of `SQLiteStore`.
public final class MemoryStore: LocalStore {
    private let keeper = Keeper()
    private let observers = StoreObservers()

    private actor Keeper {
        private var state = MemoryState()
        private var isClosed = false

        func read<Result: Sendable>(
            _ body: @Sendable (any StoreReader) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            if isClosed { throw StoreError(.closed, "The store was closed.") }
            return try body(MemoryTransaction(state))
        }

        func write<Result: Sendable>(
            _ body: @Sendable (any StoreWriter) throws(StoreError) -> Result
        ) throws(StoreError) -> (Result, StoreChanges) {
            if isClosed { throw StoreError(.closed, "The store was closed.") }
            let transaction = MemoryTransaction(state)
            let result = try body(transaction)
            try transaction.record()
            state = transaction.state
            return (result, transaction.changes)
        }

        func close() {
            isClosed = true
            state = MemoryState()
        }
    }

    public init() {}

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await keeper.read(body)
    }

    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let (result, changes) = try await keeper.write(body)
        observers.send(changes)
        return result
    }

    public func changes() -> StoreChangeSequence { observers.add() }

    public func close() async {
        await keeper.close()
        observers.finish()
    }
}

/// Everything that a store in memory holds.
struct MemoryState {
    struct ConversationRow {
        let key: ConversationKey
        var settings = ConversationSettings()
        var readMessage: MessageID?
        var newestOrderTime: MessageTime?
        var draft: Draft?
        var isMarkedUnread = false
        var begun: MessageTime?
        /// Messages in their order; corrections and the like stand elsewhere.
        var timeline: [TimelinePosition] = []
    }

    struct SentName: Hashable {
        let conversation: ConversationID
        let id: String
    }

    struct ArchivedName: Hashable {
        let account: AccountID
        let name: ArchiveReference
    }

    struct Reference: Hashable {
        let conversation: ConversationID
        let target: TargetReference
    }

    struct Person: Hashable {
        let account: AccountID
        let address: JID
    }

    struct CapabilitiesName: Hashable {
        let algorithm: String
        let hash: String
    }

    var lastAccount: Int64 = 0
    var lastConversation: Int64 = 0
    var lastMessage: Int64 = 0

    var accounts: [AccountID: Account] = [:]
    var contacts: [Person: StoredContact] = [:]
    var rooms: [Person: StoredRoom] = [:]
    var avatars: [Person: StoredAvatar] = [:]
    var publishedNames: [Person: String] = [:]
    var capabilities: [CapabilitiesName: [UInt8]] = [:]
    var sessions: [AccountID: ResumptionState] = [:]
    var presences: [AccountID: [StoredPresence]] = [:]

    var conversations: [ConversationID: ConversationRow] = [:]
    var conversationNumbers: [ConversationKey: ConversationID] = [:]

    var records: [MessageID: MessageRecord] = [:]
    var sent: [SentName: [MessageID]] = [:]
    var archived: [ArchivedName: MessageID] = [:]
    /// Messages of ours for which a marker came.
    var displayed: [ConversationID: Set<MessageID>] = [:]
    var furtherNames: [MessageID: [ArchiveReference]] = [:]
    var annotations: [MessageID: [MessageID]] = [:]
    var waiting: [Reference: [MessageID]] = [:]
    var attachments: [MessageID: [Attachment]] = [:]
    var marks: [Reference: [PendingMark]] = [:]
    var intervals: [ArchiveScope: ArchiveIntervals] = [:]
    var queue: [QueueEntry] = []
    /// The place in the queue that was given last.
    var lastQueuePosition: Int64 = 0
    var growth = GrowthAllowance()
    var protectionRecords: [AccountID: [String: [UInt8]]] = [:]
    var lastNotice: Int64 = 0
    var events: [StoredEvent] = []
    var lastEvent: Int64 = 0
    var eventLog = ""
    var eventReaders: [String: EventReader] = [:]
    /// By time.
    var notices: [ConversationID: [StoredNotice]] = [:]
}
