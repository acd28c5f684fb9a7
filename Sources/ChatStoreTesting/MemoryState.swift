import ChatStore
import MessageSemantics
import XMPPAddress
import XMPPStream

/// Everything that a store in memory holds.
struct MemoryState {
    struct ConversationRow {
        let key: ConversationKey
        var settings = ConversationSettings()
        var readMessage: MessageID?
        var newestOrderTime: MessageTime?
        var draft: Draft?
        var isMarkedUnread = false
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
}
