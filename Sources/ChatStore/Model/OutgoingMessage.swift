public import XMPPAddress

/// A message as it is written here, before anybody else knows of it.
public struct OutgoingMessage: Hashable, Sendable {
    /// Our address in that conversation: the account's bare address, or our occupant address in a room.
    public var sender: JID
    public var occupantID: String?
    /// Used as the stanza's `id` and as its origin-id (XEP-0359 §3.2), also when it is sent again: a random UUID.
    public var originID: String
    public var time: MessageTime
    public var content: MessageContent

    public init(sender: JID, occupantID: String? = nil, originID: String, time: MessageTime, content: MessageContent) {
        self.sender = sender
        self.occupantID = occupantID
        self.originID = originID
        self.time = time
        self.content = content
    }
}

/// A message that waits to be sent, in the order in which messages were written.
public struct QueuedMessage: Hashable, Sendable {
    public let message: StoredMessage
    /// What it does; for a correction, retraction or reactions also to which message.
    public let content: MessageContent
    /// Its place in the queue: every message that is put into it later has a higher one.
    public let position: Int64
    /// How often it was given to the stream.
    public var attempts: Int
    /// Not to be tried before.
    public var notBefore: MessageTime?
}

/// A part of the send queue, in the order in which messages were written.
public struct SendQueuePage: Hashable, Sendable {
    public let messages: [QueuedMessage]
    /// Where the next page begins; `nil` where the queue ends.
    public let end: Int64?
}
