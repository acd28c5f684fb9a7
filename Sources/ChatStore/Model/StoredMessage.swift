public import XMPPAddress

/// A message as a timeline shows it: its latest text, its state, and what was said and done about it.
public struct StoredMessage: Hashable, Sendable, Identifiable {
    public let id: MessageID
    public let conversation: ConversationID
    public let position: TimelinePosition
    /// When it was sent, as well as that is known.
    public let time: MessageTime
    public let timeSource: TimeSource
    public let sender: JID
    public let occupantID: String?
    public let isOutgoing: Bool
    /// The stanza's `id`.
    public let wireID: String?
    public let originID: String?
    /// The name that the conversation's own archive gave to it.
    public let archiveReference: ArchiveReference?
    /// The text after all corrections; empty if it was retracted.
    public let text: MessageText
    public let state: MessageState
    /// When it was last corrected.
    public let editTime: MessageTime?
    public let isRetracted: Bool
    /// Ordered by emoji, then sender.
    public let reactions: [Reaction]
    /// Of the text that is shown: of the last correction, if it was corrected.
    public let protection: MessageProtection
}

/// One person's reaction to a message (XEP-0444).
public struct Reaction: Hashable, Sendable, Comparable {
    public let emoji: String
    public let sender: JID

    public init(emoji: String, sender: JID) {
        self.emoji = emoji
        self.sender = sender
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.emoji, left.sender) < (right.emoji, right.sender)
    }
}

/// One text that a message has had.
public struct MessageVersion: Hashable, Sendable {
    public let time: MessageTime
    public let body: String
}
