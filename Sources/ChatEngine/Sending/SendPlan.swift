package import ChatStore

/// Which messages of the send queue go out next, and which files: it is shown the queue from its beginning to its end, and each place
/// again only when what held its conversation back is over.
///
/// The queue is in the order of writing. What is not ready, because a file of it is still to be uploaded, a backoff has not
/// passed or its room was not entered, holds back the later messages of its own conversation and of no other.
struct SendPlan: Sendable {
    /// How messages of a conversation may go out.
    enum Readiness: Sendable {
        case open
        /// The next one when the one before is out of the queue: where a message may be refused and a later one not, the later
        /// one would overtake it.
        case oneByOne
        /// Nothing can be said there at present.
        case closed
    }

    /// What is to be done with a message.
    enum Step: Sendable, Equatable {
        case send
        case upload
        case wait
    }

    private enum Reason: Equatable {
        case time(MessageTime)
        case upload
        case confirmation
        case closed
        /// Nothing holds it back any more, but places that were passed over are still to be shown.
        case behind
    }

    private struct Hold {
        var reason: Reason
        var message: MessageID?
        /// Behind this place stands what was passed over.
        var position: Int64
    }

    /// A conversation of which places were passed over, and behind which place they stand.
    struct Release: Equatable, Sendable {
        let conversation: ConversationID
        let position: Int64
    }

    /// The place up to which the queue was shown.
    private(set) var end: Int64 = 0
    private var holds: [ConversationID: Hold] = [:]
    /// Conversations to be shown again, in the order in which they were released.
    private var released: [ConversationID] = []

    init() {}

    /// What is to be shown again before the queue goes on.
    var nextRelease: Release? {
        released.first.flatMap { conversation in
            holds[conversation].map { Release(conversation: conversation, position: $0.position) }
        }
    }

    /// When the next backoff of a held message is over.
    var nextTime: MessageTime? {
        holds.values.lazy.compactMap { if case .time(let time) = $0.reason { time } else { nil } }.min()
    }

    /// Messages that hold others back until they are out of the queue.
    var awaited: Set<MessageID> {
        Set(holds.values.lazy.filter { $0.reason == .confirmation }.compactMap(\.message))
    }

    // MARK: The queue is shown

    /// - Parameter isInFlight: the stream has it already.
    mutating func shown(
        _ entry: QueuedMessage, isInFlight: Bool, now: MessageTime, readiness: Readiness
    ) -> Step {
        let conversation = entry.message.conversation
        let isAgain = entry.position <= end
        if !isAgain {
            end = entry.position
            if holds[conversation] != nil { return .wait }
        }
        let reason: Reason
        var step = Step.wait
        if isInFlight {
            guard readiness == .oneByOne else { return passed(entry) }
            reason = .confirmation
        } else if let time = entry.notBefore, time > now {
            reason = .time(time)
        } else if entry.hasFileToUpload {
            (reason, step) = (.upload, .upload)
        } else {
            switch readiness {
            case .open:
                _ = passed(entry)
                return .send
            case .oneByOne: (reason, step) = (.confirmation, .send)
            case .closed: reason = .closed
            }
        }
        let isPassed = reason == .confirmation
        holds[conversation] = Hold(
            reason: reason, message: entry.message.id, position: isPassed ? entry.position : entry.position - 1)
        released.removeAll { $0 == conversation }
        return step
    }

    private mutating func passed(_ entry: QueuedMessage) -> Step {
        holds[entry.message.conversation]?.position = entry.position
        return .wait
    }

    /// Whether more of a conversation that is shown again is to be shown.
    func isReleased(_ conversation: ConversationID) -> Bool { holds[conversation]?.reason == .behind }

    /// All that was passed over of a conversation was shown.
    mutating func caughtUp(_ conversation: ConversationID) {
        released.removeAll { $0 == conversation }
        if isReleased(conversation) { holds[conversation] = nil }
    }

    /// The page ended there, with places of other accounts.
    mutating func skipped(to position: Int64) { end = max(end, position) }

    /// A message could not be given to the stream: it is shown again with the next connection.
    mutating func returned(_ entry: QueuedMessage) {
        release(entry.message.conversation, behind: entry.position - 1)
    }

    // MARK: What holds back is over

    /// Everything is shown again: what the stream had was lost.
    mutating func restart() { self = SendPlan() }

    /// A conversation is shown again from its beginning: what the stream had of it was not taken.
    mutating func restart(_ conversation: ConversationID) { release(conversation, behind: 0) }

    mutating func timePassed(now: MessageTime) {
        for (conversation, hold) in holds {
            if case .time(let time) = hold.reason, time <= now { release(conversation, behind: hold.position) }
        }
    }

    /// Messages are out of the queue, or at its end again.
    ///
    /// - Returns: the conversations that waited for one of them to be confirmed.
    mutating func dequeued(_ messages: Set<MessageID>) -> [ConversationID] {
        var confirmed: [ConversationID] = []
        for (conversation, hold) in holds where hold.message.map(messages.contains) ?? false {
            if hold.reason == .confirmation { confirmed.append(conversation) }
            release(conversation, behind: hold.position)
        }
        return confirmed
    }

    /// An upload has ended, well or not.
    mutating func uploaded(_ message: MessageID) {
        for (conversation, hold) in holds where hold.reason == .upload && hold.message == message {
            release(conversation, behind: hold.position)
        }
    }

    private mutating func release(_ conversation: ConversationID, behind position: Int64) {
        holds[conversation] = Hold(reason: .behind, message: nil, position: position)
        if !released.contains(conversation) { released.append(conversation) }
    }
}

extension QueuedMessage {
    /// A file of it is here and nowhere else yet.
    package var hasFileToUpload: Bool {
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
