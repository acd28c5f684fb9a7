public import MessageFeatures
public import XMPPAddress

/// What happened to the displayed positions, on this device or on another one.
public enum DisplayedPositionEvent: Sendable, Hashable {
    /// The whole list came from the server.
    case populated
    /// A conversation has been displayed up to that message.
    ///
    /// A position only moves forward (XEP-0490 §5.1): one that is older than what this device knows, or that names a message
    /// that is not in the conversation, means nothing.
    case moved(conversation: JID, to: StanzaIdentifier)
    /// Another program has taken the position away, which says nothing about the messages.
    case removed(conversation: JID)
}
