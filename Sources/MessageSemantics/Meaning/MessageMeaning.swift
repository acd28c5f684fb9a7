public import XMPPAddress

/// What a received message stanza means.
public enum MessageMeaning: Hashable, Sendable {
    /// Something that is said, or done to what was said.
    case message(MessageCopy, in: ConversationAddress)
    /// Something that is said about a message of ours.
    case report(StateReport, in: ConversationAddress)
    /// Another device of ours has shown this message and those before it (XEP-0333 §5, XEP-0490).
    case read(TargetReference, in: ConversationAddress)

    /// Whether it is something that this account has said.
    public var isOutgoing: Bool { if case .message(let copy, _) = self { copy.isOutgoing } else { false } }
}

/// What somebody says about a message of ours.
public struct StateReport: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// XEP-0184 §5.4.
        case delivered
        /// XEP-0333: this message and all before it.
        case displayed
        /// An error stanza came back.
        case refused(condition: String, text: String?)
    }

    public var kind: Kind
    public var target: TargetReference
    /// Who says so; believed only from the peer of a direct conversation.
    public var sender: JID
    /// When it came, or the archive's stamp.
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
        /// With one person, by bare address.
        case direct = 0
        /// In a room, by the room's bare address.
        case room = 1
        /// With one occupant of a room, privately, by the occupant's full address.
        case occupant = 2
    }

    public let address: JID
    public let kind: Kind

    /// - Parameter address: made bare where the kind is about bare addresses.
    public init(_ address: JID, kind: Kind) {
        self.address = kind == .occupant ? address : address.bare
        self.kind = kind
    }
}
