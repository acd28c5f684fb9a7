public import ChatStore

/// Which messages of the send queue go out next, and which files.
///
/// The queue is in the order of writing. What is not ready, because a file of it is still to be uploaded, a pause has not
/// passed or its room was not entered, holds back the later messages of its own conversation and of no other.
public struct SendPlan: Sendable {
    /// In the order in which they are to be given to the stream.
    public let messages: [QueuedMessage]
    /// Messages whose files are to be uploaded, oldest first; one for each conversation.
    public let uploads: [QueuedMessage]
    /// When the next pause of one of the others is over.
    public let nextTime: MessageTime?

    /// - Parameters:
    ///   - inFlight: what the stream has already.
    ///   - isClosed: whether nothing can be said in that conversation at present.
    public init(
        _ queue: [QueuedMessage], inFlight: Set<MessageID>, now: MessageTime,
        isClosed: (ConversationID) -> Bool = { _ in false }
    ) {
        var held: Set<ConversationID> = []
        var messages: [QueuedMessage] = []
        var uploads: [QueuedMessage] = []
        var times: [MessageTime] = []
        for entry in queue where !inFlight.contains(entry.message.id) {
            let conversation = entry.message.conversation
            if held.contains(conversation) { continue }
            if let time = entry.notBefore, time > now {
                held.insert(conversation)
                times.append(time)
            } else if entry.hasFileToUpload {
                held.insert(conversation)
                uploads.append(entry)
            } else if isClosed(conversation) {
                held.insert(conversation)
            } else {
                messages.append(entry)
            }
        }
        self.messages = messages
        self.uploads = uploads
        nextTime = times.min()
    }
}

extension QueuedMessage {
    /// A file of it is here and nowhere else yet.
    public var hasFileToUpload: Bool {
        content.attachments.contains { $0.url == nil }
    }
}

extension MessageContent {
    var attachments: [Attachment] {
        switch self {
        case .text(let text), .correction(_, let text): text.attachments
        case .retraction, .reactions: []
        }
    }
}
