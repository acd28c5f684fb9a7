package import ChatStore
internal import XMPPStream

/// Decides which messages of the send queue to send next, and which files to upload: it reads the queue from beginning
/// to end, and an entry again only when the reason that blocked its conversation has ended.
///
/// The queue is in the order of writing. An entry that is not ready, because of an upload, a backoff or a room that is
/// not joined, blocks the later ones of its own conversation only.
struct SendPlan: Sendable {
    /// How messages of a conversation may be sent.
    enum Readiness: Sendable {
        case open
        /// One at a time: if a message may be rejected, a later one must not overtake it.
        case oneByOne
        /// No messages can be sent there at present.
        case closed
    }

    /// What to do with a message.
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
        /// Nothing blocks it any more, but skipped entries have to be shown first.
        case behind
    }

    private struct Hold {
        var reason: Reason
        var message: MessageID?
        /// The skipped entries are after this position.
        var position: Int64
    }

    /// A conversation with skipped entries, and the position before them.
    struct Release: Equatable, Sendable {
        let conversation: ConversationID
        let position: Int64
    }

    /// The position up to which the queue was shown.
    private(set) var end: Int64 = 0
    private var holds: [ConversationID: Hold] = [:]
    /// Conversations to be shown again, in the order in which they were released.
    private var released: [ConversationID] = []

    init() {}

    /// The conversation to be shown again before the queue continues.
    var nextRelease: Release? {
        released.first.flatMap { conversation in
            holds[conversation].map { Release(conversation: conversation, position: $0.position) }
        }
    }

    /// The end of the next backoff.
    var nextTime: MessageTime? {
        holds.values.lazy.compactMap { if case .time(let time) = $0.reason { time } else { nil } }.min()
    }

    /// Messages that block others until they leave the queue.
    var awaited: Set<MessageID> {
        Set(holds.values.lazy.filter { $0.reason == .confirmation }.compactMap(\.message))
    }

    // MARK: Reading the queue

    /// - Parameter isInFlight: it was passed to the stream already.
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

    /// Whether more entries of a released conversation must be read.
    func isReleased(_ conversation: ConversationID) -> Bool { holds[conversation]?.reason == .behind }

    /// All skipped entries of a conversation were shown.
    mutating func caughtUp(_ conversation: ConversationID) {
        released.removeAll { $0 == conversation }
        if isReleased(conversation) { holds[conversation] = nil }
    }

    /// The page ended there, with entries of other accounts.
    mutating func skipped(to position: Int64) { end = max(end, position) }

    /// A message could not be passed to the stream: it is shown again with the next connection.
    mutating func returned(_ entry: QueuedMessage) {
        release(entry.message.conversation, behind: entry.position - 1)
    }

    // MARK: Unblocking

    /// Everything is shown again: the messages passed to the stream were lost.
    mutating func restart() { self = SendPlan() }

    /// A conversation is shown again from its beginning: its messages passed to the stream were not accepted.
    mutating func restart(_ conversation: ConversationID) { release(conversation, behind: 0) }

    mutating func timePassed(now: MessageTime) {
        for (conversation, hold) in holds {
            if case .time(let time) = hold.reason, time <= now { release(conversation, behind: hold.position) }
        }
    }

    /// Messages have left the queue, or were requeued.
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

    /// An upload has ended, with any result.
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
    /// Whether it has a file that was not uploaded yet.
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

/// When a message is tried again after a temporary failure of an upload or of its encryption.
enum SendBackoff {
    private static let backoff = Backoff(first: .seconds(5), longest: .seconds(300))
    /// After how many attempts a message fails because the keys of its recipient cannot be requested: half an hour while
    /// online. Most servers also return a message after that time.
    static let keyRequests = 12

    /// - Parameter attempts: the number of earlier failures.
    static func end(after attempts: Int, now: MessageTime) -> MessageTime {
        now.advanced(by: backoff.pause(after: attempts + 1).components.seconds * 1000)
    }
}
