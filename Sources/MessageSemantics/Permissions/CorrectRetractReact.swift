public import XMPPAddress

/// Who may correct, retract and react: the one place for these rules.
extension MessageOrigin {
    /// Whether what came from here may be done to a message of the same conversation.
    ///
    /// | | who may |
    /// | --- | --- |
    /// | a correction (XEP-0308 §5) | the author |
    /// | a retraction (XEP-0424 §5) | the author; in a room also the room itself, for its moderators (XEP-0425 §4) |
    /// | reactions (XEP-0444) | everybody in the conversation |
    ///
    /// - Parameter room: the address of the conversation, if it is a room.
    public func may(_ action: MessageContent.Kind, _ target: MessageOrigin, room: JID?) -> Bool {
        switch action {
        case .text, .reactions: true
        case .correction: isSameAuthor(as: target)
        case .retraction: isSameAuthor(as: target) || room != nil && sender == room
        }
    }

    /// Whether the reactions that came from here take the place of earlier ones (XEP-0444 §4.1): those of the same author.
    public func replacesReactions(of earlier: MessageOrigin) -> Bool { isSameAuthor(as: earlier) }

    /// Whether it is proved that both have the same author (``MessageAuthor``).
    ///
    /// What this account has certainly done, it may do to every message that counts as its own, also to one of which an earlier
    /// version of the program kept no proof.
    public func isSameAuthor(as other: MessageOrigin) -> Bool {
        let author = author
        if author.isSame(as: other.author) { return true }
        return author.stay == .own && isOutgoing && other.isOutgoing
    }
}

extension MessageCopy {
    /// A correction of which nobody can tell whose messages it may correct is a message of its own, as for a program that knows no
    /// corrections: nothing is forged by it, and its text is not lost.
    public func withoutUnprovedCorrection(in kind: ConversationAddress.Kind) -> MessageCopy {
        guard case .correction(_, let text) = content, MessageOrigin(of: self, in: kind).author.isUnproved else {
            return self
        }
        var copy = self
        copy.content = .text(text)
        return copy
    }
}
