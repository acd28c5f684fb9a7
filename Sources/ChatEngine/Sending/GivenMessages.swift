internal import ChatStore
internal import XMPPAddress
internal import XMPPClient

/// The messages passed to the current session that are still in the queue.
struct GivenMessages: Sendable {
    private struct Given {
        let token: SendToken
        /// Its position in the queue; a requeued message has another one.
        let position: Int64
        let conversation: ConversationID
    }

    /// The session on the server whose lost messages are known (`Session.serverSessionCount`).
    private(set) var serverSession: Int
    private var messages: [MessageID: Given] = [:]
    /// The last message passed to the session. If it is lost, all before it may be, and nothing may overtake them.
    private var last: SendToken?

    init(in serverSession: Int) { self.serverSession = serverSession }

    var isLastLost: Bool { last?.failure != nil }

    /// Messages that the server would reject again.
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

    /// Messages lost with the previous connection are not pending any more.
    mutating func connectionBegan(isManaged: Bool, in serverSession: Int) {
        self.serverSession = serverSession
        messages = messages.filter { _, given in
            guard let failure = given.token.failure else { return true }
            return !isManaged || FailureReason(failure) != nil
        }
        last = nil
    }

    /// A new session has no messages.
    mutating func sessionBegan() {
        let refused = refused
        messages = messages.filter { refused[$0.key] != nil }
    }
}

/// The rooms that accept messages, and how many at a time.
struct OpenRooms: Sendable {
    private(set) var open: Set<JID> = []
    /// Joined rooms that have reflected a message since. In the others, one message is sent at a time: a room just
    /// joined on a restarted server may reject one message and accept the next.
    private var proven: Set<JID> = []

    mutating func opened(_ room: JID) {
        open.insert(room.bare)
        proven.remove(room.bare)
    }

    mutating func closed(_ room: JID) { open.remove(room.bare) }

    /// A room has reflected a message.
    mutating func answered(_ room: JID) { if open.contains(room.bare) { proven.insert(room.bare) } }

    /// The session is a new one.
    mutating func sessionBegan() { proven = [] }

    func readiness(of key: ConversationKey) -> SendPlan.Readiness {
        guard key.kind != .direct else { return .open }
        guard open.contains(key.address.bare) else { return .closed }
        return proven.contains(key.address.bare) ? .open : .oneByOne
    }
}
