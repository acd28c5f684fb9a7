public import ChatStore

/// Which messages of the send queue go out next, and which files.
///
/// The queue is in the order of writing. What is not ready, because a file of it is still to be uploaded, a pause has not
/// passed or its room was not entered, holds back the later messages of its own conversation and of no other.
public struct SendPlan: Sendable {
    /// How messages of a conversation may go out.
    public enum Readiness: Sendable {
        case open
        /// The next one when nobody has the one before any more: where a message may be refused and a later one not, the later
        /// one would overtake it.
        case oneByOne
        /// Nothing can be said there at present.
        case closed
    }

    /// In the order in which they are to be given to the stream.
    public let messages: [QueuedMessage]
    /// Messages whose files are to be uploaded, oldest first; one for each conversation.
    public let uploads: [QueuedMessage]
    /// When the next pause of one of the others is over.
    public let nextTime: MessageTime?

    /// - Parameters:
    ///   - inFlight: what the stream has already.
    ///   - readiness: of a conversation.
    public init(
        _ queue: [QueuedMessage], inFlight: Set<MessageID>, now: MessageTime,
        readiness: (ConversationID) -> Readiness = { _ in .open }
    ) {
        var held: Set<ConversationID> = []
        var messages: [QueuedMessage] = []
        var uploads: [QueuedMessage] = []
        var times: [MessageTime] = []
        for entry in queue {
            let conversation = entry.message.conversation
            if held.contains(conversation) { continue }
            if inFlight.contains(entry.message.id) {
                if readiness(conversation) == .oneByOne { held.insert(conversation) }
            } else if let time = entry.notBefore, time > now {
                held.insert(conversation)
                times.append(time)
            } else if entry.hasFileToUpload {
                held.insert(conversation)
                uploads.append(entry)
            } else {
                let readiness = readiness(conversation)
                if readiness != .open { held.insert(conversation) }
                if readiness != .closed { messages.append(entry) }
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
