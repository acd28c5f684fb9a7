public import XMPPAddress

/// A message that was written on this device.
public struct OutgoingMessage: Hashable, Sendable {
    /// Our address in that conversation: the account's bare address, or our occupant address in a room.
    public var sender: JID
    public var occupantID: String?
    /// A random UUID, used as the stanza's `id` and origin-id (XEP-0359 §3.2), also when the message is sent again.
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

/// A message in the send queue.
public struct QueuedMessage: Hashable, Sendable {
    public let message: StoredMessage
    /// The content to send; for a correction, retraction or reactions with its target.
    public let content: MessageContent
    /// Its position in the queue, lower than those of all messages that are added later.
    public let position: Int64
    /// How often it was passed to the stream.
    public var attempts: Int
    /// The earliest time of the next attempt.
    public var notBefore: MessageTime?
}

/// A page of the send queue, in the order in which the messages were written.
public struct SendQueuePage: Hashable, Sendable {
    public let messages: [QueuedMessage]
    /// The position after which the next page begins; `nil` at the end of the queue.
    public let end: Int64?
}
