package import XMPPAddress

/// What a model may do with the accounts, as the owner has decided on the command line.
///
/// Nothing is allowed that is not listed: neither to send nor to read. Files are sent from one folder only.
package struct MCPPolicy: Sendable {
    /// The conversations in which the model may send; it may read them, too.
    package var allowed: Set<JID> = []
    /// The conversations that it may only read.
    package var readable: Set<JID> = []
    package var readsAll = false
    /// Whether it may change contacts, rooms and the send queue.
    package var manages = false
    /// The folder from which files may be sent, by its real path.
    package var files: String?
    /// The number of messages per minute.
    package var sendsPerMinute = MCPPolicy.standardSends
    /// Whether the activity log contains the texts that were sent.
    package var logsText = false

    /// Enough for a conversation, and a bound for a model that has lost its way.
    package static let standardSends = 10
    /// The number of other calls per minute.
    static let callsPerMinute = 240

    package init() {}

    func maySend(to address: JID) -> Bool { allowed.contains(address) }
    func mayRead(_ address: JID) -> Bool { readsAll || allowed.contains(address) || readable.contains(address) }
}

/// A limit of how often something happens, without I/O: as many at once as in a minute, and then as they come.
struct RateLimit: Sendable {
    private let perMinute: Int
    private var level: Double
    private var time: ContinuousClock.Instant?

    init(perMinute: Int) {
        self.perMinute = perMinute
        level = Double(perMinute)
    }

    /// - Returns: how long to wait; `nil` if it may happen now.
    mutating func take(now: ContinuousClock.Instant) -> Duration? {
        let perSecond = Double(perMinute) / 60
        if let time {
            let passed = (now - time) / .seconds(1)
            level = min(Double(perMinute), level + max(0, passed) * perSecond)
        }
        time = now
        guard level >= 1 else { return .seconds((1 - level) / perSecond) }
        level -= 1
        return nil
    }
}

/// Calls that wait for a confirmation, without I/O: a token is valid for one call, once, and for a short time.
struct Confirmations: Sendable {
    private struct Waiting: Sendable {
        let token: String
        let call: String
        let end: ContinuousClock.Instant
    }

    /// How long a person may take.
    static let lifetime = Duration.seconds(120)
    private static let limit = 16

    private var waiting: [Waiting] = []

    /// - Parameters:
    ///   - call: the tool with its arguments.
    ///   - token: a random text.
    mutating func begin(_ call: String, token: String, now: ContinuousClock.Instant) {
        waiting.removeAll { $0.end <= now }
        if waiting.count >= Self.limit { waiting.removeFirst() }
        waiting.append(Waiting(token: token, call: call, end: now + Self.lifetime))
    }

    /// - Returns: whether this call was announced with this token.
    mutating func confirm(_ call: String, token: String, now: ContinuousClock.Instant) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.token == token }) else { return false }
        let found = waiting.remove(at: index)
        return found.call == call && found.end > now
    }
}
