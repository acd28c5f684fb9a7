public import ChatStore

/// A picture, voice message or other file of a conversation, and the message that it came with.
public struct SharedMediaItem: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        public let message: MessageID
        /// Which of the message's files.
        public let index: Int

        public init(message: MessageID, index: Int) {
            self.message = message
            self.index = index
        }
    }

    public let message: TimelineMessage
    public let index: Int
    public let attachment: Attachment

    public var id: ID { ID(message: message.id, index: index) }

    /// The files of these kinds, the last one first, as in a list that begins with the newest.
    static func items(of message: TimelineMessage, _ kinds: Set<Attachment.Kind>) -> [SharedMediaItem] {
        message.text.attachments.enumerated().reversed().filter { kinds.contains($0.element.kind) }.map {
            SharedMediaItem(message: message, index: $0.offset, attachment: $0.element)
        }
    }
}
