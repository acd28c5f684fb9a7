internal import XMPPAddress

/// One line of an exported store. It contains complete addresses and references, so that each line can be read alone.
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

/// A message, correction, retraction or set of reactions as it was received.
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
    /// Whether the text was retracted; the retraction itself may not be stored any more.
    var isRetracted: Bool
    /// `nil` for one that was not protected.
    var protection: MessageProtection?
}

/// The result of an import.
public struct ImportReport: Sendable, Equatable {
    /// Messages, corrections, retractions and reactions that were new.
    public internal(set) var added = 0
    /// Those that were already stored.
    public internal(set) var known = 0
}
