public import XMPPAddress

/// Where a message comes from, as far as the rules about changes and copies ask: which kind of conversation, and who sent it.
public struct MessageOrigin: Sendable, Hashable {
    public var kind: ConversationAddress.Kind
    /// Who wrote it; see ``MessageCopy/sender``.
    public var sender: JID
    /// Believed already; see ``MessageCopy/occupantID``.
    public var occupantID: String?
    public var stay: OccupantStay?
    /// This account wrote it.
    public var isOutgoing: Bool

    public init(
        in kind: ConversationAddress.Kind, sender: JID, occupantID: String? = nil, stay: OccupantStay? = nil,
        isOutgoing: Bool
    ) {
        self.kind = kind
        self.sender = sender
        self.occupantID = occupantID
        self.stay = stay
        self.isOutgoing = isOutgoing
    }

    public init(of copy: MessageCopy, in kind: ConversationAddress.Kind) {
        self.init(
            in: kind, sender: copy.sender, occupantID: copy.occupantID, stay: copy.stay, isOutgoing: copy.isOutgoing)
    }

    /// Who wrote it, as far as that decides who may change it.
    public var author: MessageAuthor {
        switch kind {
        case .direct: MessageAuthor(account: sender)
        case .room: MessageAuthor(occupant: sender, id: occupantID, stay: stay)
        // What we said privately comes from our own server or from this device, so there is no doubt about it.
        case .occupant: MessageAuthor(occupant: sender, id: occupantID, stay: isOutgoing ? .own : stay)
        }
    }
}
