public import ChatStore
internal import Cryptography
public import MessageFeatures
public import XMPPAddress

/// A message as a timeline shows it.
public struct TimelineMessage: Identifiable, Hashable, Sendable {
    /// One emoji with its count.
    public struct ReactionGroup: Hashable, Sendable {
        public let emoji: String
        /// The names of those who reacted with it.
        public let names: [String]
        /// Whether the user is among them.
        public let isOwn: Bool

        public var count: Int { names.count }
    }

    /// The message that this one replies to.
    public struct Quotation: Hashable, Sendable {
        /// The message to jump to; `nil` if it is not stored.
        public let id: MessageID?
        /// Its current text, corrected or retracted; `nil` if it is not stored.
        public let preview: MessagePreview?
    }

    public let id: MessageID
    public let position: TimelinePosition
    public let time: MessageTime
    public let sender: JID
    public let senderName: String
    /// The hash of the sender's avatar, for an ``AvatarLoader``.
    public let avatarHash: String?
    public let isOutgoing: Bool
    private let isInRoom: Bool
    /// The latest text; empty if it was retracted.
    public let text: MessageText
    public let state: MessageState
    /// When it was last corrected.
    public let editTime: MessageTime?
    public let isRetracted: Bool
    public let protection: MessageProtection
    /// What is shown about ``protection``; `nil` where nothing was ever encrypted.
    public let mark: ProtectionMark?
    /// The devices, or accounts without any, that cannot decrypt a message of ours that others can.
    public let unreadable: [ProtectionError.Recipient]
    public let reactions: [ReactionGroup]
    public let quotation: Quotation?
    /// The user's nickname in the room, by which others mention the user; `nil` elsewhere.
    public let ownNickname: String?
    /// The pictures and videos that were sent together with this one, which is the first of them; empty for a message of its
    /// own.
    public internal(set) var album: [TimelineMessage] = []
    /// Whether it is the first of a group, which shows the sender.
    public internal(set) var beginsGroup: Bool
    /// Whether it is the last of a group.
    public internal(set) var endsGroup: Bool

    public var isEdited: Bool { editTime != nil }

    /// The text shown instead of an encrypted message that could not be opened; `nil` for any other message.
    public var notOpened: String? { isRetracted ? nil : Wording.notOpened(protection) }

    /// What the sender's colour is made of (XEP-0392): the nickname in a room, else the address.
    public var senderIdentity: String { sender.resource.flatMap { isInRoom ? $0 : nil } ?? sender.bare.description }

    /// The colour of the sender's name. Computed on each access, so only for visible rows.
    public var senderColor: ConsistentColor { ConsistentColor(of: senderIdentity) { SHA1.hash($0) } }

    /// Whether the message mentions the user. Computed on each access, so only for visible rows.
    public var mentionsUser: Bool {
        guard let ownNickname, !isOutgoing, !isRetracted else { return false }
        return MentionRule.mentions([ownNickname], in: TextFold(text.body).text) { FoldedName($0).text }
    }

    /// The parsed text. Computed on each access, so only for visible rows.
    public var body: MessageBody { MessageBody(text.body) }

    init(
        _ message: StoredMessage, answered: StoredMessage?, isAfterEncryption: Bool = false, key: ConversationKey,
        book: AddressBook
    ) {
        id = message.id
        position = message.position
        time = message.time
        sender = message.sender
        senderName = book.author(message.sender, in: key)
        // A message in a room does not have the avatar of the room.
        avatarHash =
            key.kind == .direct || message.sender.resource == nil
            ? book.avatarHash(of: message.sender, account: key.account)
            : book.avatarHash(ofOccupant: message.sender, account: key.account)
        isOutgoing = message.isOutgoing
        isInRoom = key.kind != .direct
        ownNickname = book.ownNickname(in: key)
        text = message.text
        state = message.state
        editTime = message.editTime
        isRetracted = message.isRetracted
        protection = message.protection
        unreadable = message.isRetracted ? [] : message.unreadable
        mark = ProtectionMark(message, isAfterEncryption: isAfterEncryption)
        var groups: [(emoji: String, names: [String], isOwn: Bool)] = []
        for reaction in message.reactions {
            let name = book.author(reaction.sender, in: key)
            if let last = groups.indices.last, groups[last].emoji == reaction.emoji {
                groups[last].names.append(name)
                groups[last].isOwn = groups[last].isOwn || reaction.isOutgoing
            } else {
                groups.append((reaction.emoji, [name], reaction.isOutgoing))
            }
        }
        reactions = groups.map { ReactionGroup(emoji: $0.emoji, names: $0.names, isOwn: $0.isOwn) }
        quotation =
            message.text.reply == nil
            ? nil
            : Quotation(
                id: answered?.id,
                preview: answered.map { MessagePreview($0, senderName: book.author($0.sender, in: key)) })
        beginsGroup = true
        endsGroup = true
    }
}

extension StoredMessage {
    /// The identifier by which another message refers to this one: in rooms the archive's, else the sender's; a
    /// correction always the stanza's `id` (XEP-0308 §3, XEP-0424 §3, XEP-0444 §4, XEP-0461 §3).
    package func reference(in key: ConversationKey, for purpose: MessageIdentity.Purpose) -> TargetReference? {
        let identity = MessageIdentity(
            isInRoom: key.kind == .room, stanzaID: wireID, originID: originID, archiveID: archiveReference?.id)
        guard let id = identity.identifier(for: purpose) else { return nil }
        switch purpose {
        case .correction, .receipt: return .sent(id: id)
        case .displayedMarker, .retraction, .reaction, .reply:
            if key.kind == .room, let archiveReference { return .archived(archiveReference) }
            return .sent(id: id)
        }
    }
}
