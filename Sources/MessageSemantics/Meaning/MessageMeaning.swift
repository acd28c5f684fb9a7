public import XMPPAddress

/// The meaning of a received message stanza.
public enum MessageMeaning: Hashable, Sendable {
    /// A new message, or a change of an earlier one.
    case message(MessageCopy, in: ConversationAddress)
    /// A report on the state of one of our messages.
    case report(StateReport, in: ConversationAddress)
    /// Another device of this account has displayed this message and those before it (XEP-0333 §5, XEP-0490).
    case read(TargetReference, in: ConversationAddress)

    /// Whether it is a message that this account sent.
    public var isOutgoing: Bool { if case .message(let copy, _) = self { copy.isOutgoing } else { false } }
}

/// A report of the receiver or a server on the state of one of our messages.
public struct StateReport: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// XEP-0184 §5.4.
        case delivered
        /// XEP-0333: this message and all before it.
        case displayed
        /// An error stanza was returned.
        case refused(condition: String, text: String?)
    }

    /// The condition of a message that a room refused because its author has to wait (XEP-0500 §5).
    public static let tooFast = "too-fast"

    public var kind: Kind
    public var target: TargetReference
    /// The sender of the report; it is trusted only if it is the peer of a direct conversation.
    public var sender: JID
    /// The occupant id of the sender in a room; already verified, see ``MessageCopy/occupantID``.
    public var occupantID: String?
    /// When the report arrived, or the timestamp in the archive.
    public var time: MessageTime

    public init(
        _ kind: Kind, target: TargetReference, sender: JID, time: MessageTime = MessageTime(millisecondsSince1970: 0)
    ) {
        self.kind = kind
        self.target = target
        self.sender = sender
        self.time = time
    }
}

/// The conversation that a message belongs to, inside one account.
public struct ConversationAddress: Hashable, Sendable {
    public enum Kind: Int, Sendable, Codable {
        /// With one person, identified by the bare address.
        case direct = 0
        /// In a room, identified by the bare address of the room.
        case room = 1
        /// A private conversation with one occupant of a room, identified by the full address of the occupant.
        case occupant = 2
    }

    public let address: JID
    public let kind: Kind

    /// - Parameter address: reduced to the bare address, except for an occupant.
    public init(_ address: JID, kind: Kind) {
        self.address = kind == .occupant ? address : address.bare
        self.kind = kind
    }
}
