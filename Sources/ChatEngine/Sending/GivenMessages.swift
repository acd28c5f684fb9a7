internal import ChatStore
internal import XMPPClient

/// The messages that the present session was given, and that are not out of the queue.
struct GivenMessages: Sendable {
    private struct Given {
        let token: SendToken
        /// Its place in the queue: put to the end again, it is another one.
        let position: Int64
        let conversation: ConversationID
    }

    private var messages: [MessageID: Given] = [:]
    /// What was given to the session last. When that is lost, so may be all before it, and nothing must overtake them.
    private var last: SendToken?

    var isLastLost: Bool { last?.failure != nil }

    /// Messages that the server would refuse again.
    var refused: [MessageID: FailureReason] {
        messages.compactMapValues { given in given.token.failure.flatMap { FailureReason($0) } }
    }

    func contains(_ entry: QueuedMessage) -> Bool { messages[entry.message.id]?.position == entry.position }

    mutating func add(_ entry: QueuedMessage, _ token: SendToken, isLast: Bool) {
        messages[entry.message.id] = Given(
            token: token, position: entry.position, conversation: entry.message.conversation)
        if isLast { last = token }
    }

    mutating func remove(_ ids: Set<MessageID>) {
        for id in ids { messages[id] = nil }
    }

    mutating func remove(in conversations: Set<ConversationID>) {
        messages = messages.filter { !conversations.contains($0.value.conversation) }
    }

    /// What the connection before has lost is not given any more.
    mutating func connectionBegan(isManaged: Bool) {
        messages = messages.filter { _, given in
            guard let failure = given.token.failure else { return true }
            return !isManaged || FailureReason(failure) != nil
        }
        last = nil
    }

    /// The session is another one, and has nothing.
    mutating func sessionBegan() {
        let refused = refused
        messages = messages.filter { refused[$0.key] != nil }
    }
}
