public import XMPPAddress

/// Decides who may correct, retract and react. No other code contains these rules.
extension MessageOrigin {
    /// Whether this sender may apply an action to a message of the same conversation.
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

    /// Whether reactions of this sender replace earlier ones (XEP-0444 §4.1): they do if the author is the same.
    public func replacesReactions(of earlier: MessageOrigin) -> Bool { isSameAuthor(as: earlier) }

    /// Whether it is proved that both have the same author (``MessageAuthor``).
    ///
    /// Actions that were certainly taken by this account apply to each of its own messages, also to one for which an
    /// earlier version of the program stored no proof.
    public func isSameAuthor(as other: MessageOrigin) -> Bool {
        let author = author
        if author.isSame(as: other.author) { return true }
        return author.stay == .own && isOutgoing && other.isOutgoing
    }
}

extension MessageCopy {
    /// Turns a correction without proof of its author into a new message, as a client without support for corrections
    /// does: it cannot forge a message, and its text is not lost.
    public func withoutUnprovedCorrection(in kind: ConversationAddress.Kind) -> MessageCopy {
        guard case .correction(_, let text) = content, MessageOrigin(of: self, in: kind).author.isUnproved else {
            return self
        }
        var copy = self
        copy.content = .text(text)
        return copy
    }
}
