internal import XMPPAddress

/// One line of an exported store. Addresses and references stand in full, so that lines can be read without each other.
enum TransferLine: Codable, Equatable {
    case header(version: Int)
    case account(address: JID, isEnabled: Bool, displayName: String?)
    case contact(StoredContact, account: JID)
    case room(StoredRoom, account: JID)
    case conversation(TransferConversation, settings: ConversationSettings)
    case message(TransferMessage)
    /// Everything up to this message was read.
    case read(TransferConversation, upTo: [TargetReference])
    case draft(TransferConversation, body: String, time: MessageTime)

    static let version = 1
}

struct TransferConversation: Codable, Hashable {
    var account: JID
    var address: JID
    var kind: ConversationKey.Kind
}

/// A message, correction, retraction or set of reactions as it came.
struct TransferMessage: Codable, Equatable {
    var conversation: TransferConversation
    var sender: JID
    var occupantID: String?
    var stay: Int64?
    var isOutgoing: Bool
    var wireID: String?
    var originID: String?
    var archiveReferences: [ArchiveReference]
    var time: MessageTime
    var timeSource: TimeSource
    var orderTime: MessageTime
    var orderRank: Int64
    var state: MessageState
    var content: MessageContent
    /// The text is gone, and the message that took it back may be gone too.
    var isRetracted: Bool
    /// `nil` for one that was not protected.
    var protection: MessageProtection?
}

/// What an import has done.
public struct ImportReport: Sendable, Equatable {
    /// Messages, corrections, retractions and reactions that were new.
    public internal(set) var added = 0
    /// Those that were here already.
    public internal(set) var known = 0
}
