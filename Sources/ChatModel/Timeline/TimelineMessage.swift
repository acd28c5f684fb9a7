public import ChatStore
internal import MessageFeatures
public import XMPPAddress

/// A message as a timeline shows it.
public struct TimelineMessage: Identifiable, Hashable, Sendable {
    /// One emoji under a message.
    public struct ReactionGroup: Hashable, Sendable {
        public let emoji: String
        /// What those are called who gave it.
        public let names: [String]
        /// This person gave it, too.
        public let isOwn: Bool

        public var count: Int { names.count }
    }

    /// What a message answers.
    public struct Quotation: Hashable, Sendable {
        /// The message to jump to; `nil` if it is not here.
        public let id: MessageID?
        /// How it looks now: corrected, or taken back. `nil` if it is not here.
        public let preview: MessagePreview?
    }

    public let id: MessageID
    public let position: TimelinePosition
    public let time: MessageTime
    public let sender: JID
    public let senderName: String
    /// The sender's picture, for an ``AvatarLoader``.
    public let avatarHash: String?
    public let isOutgoing: Bool
    /// The latest text; empty if it was retracted.
    public let text: MessageText
    public let state: MessageState
    /// When it was last corrected.
    public let editTime: MessageTime?
    public let isRetracted: Bool
    public let reactions: [ReactionGroup]
    public let quotation: Quotation?
    /// Nothing of the same sender stands closely above: show who it is.
    public internal(set) var beginsGroup: Bool
    /// Nothing of the same sender stands closely below.
    public internal(set) var endsGroup: Bool

    public var isEdited: Bool { editTime != nil }

    /// The text taken apart for showing. Made anew each time it is asked for: only for rows that are on the screen.
    public var body: MessageBody { MessageBody(text.body) }

    init(_ message: StoredMessage, answered: StoredMessage?, key: ConversationKey, book: AddressBook) {
        id = message.id
        position = message.position
        time = message.time
        sender = message.sender
        senderName = book.author(message.sender, in: key)
        // The picture of a room is not that of who speaks there.
        avatarHash =
            key.kind == .direct || message.sender.resource == nil
            ? book.avatarHash(of: message.sender, account: key.account)
            : book.avatarHash(ofOccupant: message.sender, account: key.account)
        isOutgoing = message.isOutgoing
        text = message.text
        state = message.state
        editTime = message.editTime
        isRetracted = message.isRetracted
        var groups: [(emoji: String, names: [String], isOwn: Bool)] = []
        for reaction in message.reactions {
            let name = book.author(reaction.sender, in: key)
            let isOwn = book.isOwn(reaction.sender, in: key)
            if let last = groups.indices.last, groups[last].emoji == reaction.emoji {
                groups[last].names.append(name)
                groups[last].isOwn = groups[last].isOwn || isOwn
            } else {
                groups.append((reaction.emoji, [name], isOwn))
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
    /// By which name another message refers to this one: in rooms by the archive's, else by the sender's; a correction
    /// always by the stanza's `id` (XEP-0308 §3, XEP-0424 §3, XEP-0444 §4, XEP-0461 §3).
    func reference(in key: ConversationKey, for purpose: MessageIdentity.Purpose) -> TargetReference? {
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
