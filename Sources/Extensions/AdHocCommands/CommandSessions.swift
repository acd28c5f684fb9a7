import XMPPAddress

/// The executions of commands that wait for the next request of their requester.
///
/// An execution belongs to the full address that began it. What others may fill is bounded, and an execution that is
/// not continued ends.
struct CommandSessions {
    /// One execution.
    struct Execution {
        let node: String
        let requester: JID
        /// The stages so far; the last one is shown.
        var steps: [CommandStep]
        /// A request is being answered: another one would overtake it.
        var isBusy = false
        var lastUse: ContinuousClock.Instant
    }

    enum Entry {
        case open(Execution)
        case busy
        /// It was completed, canceled, or not continued for too long.
        case ended
        case unknown
    }

    /// Executions of one bare address. A person has one or two dialogs open; a program that begins more loses its
    /// oldest.
    static let limitPerRequester = 8
    /// Executions of all requesters. Each holds the form of its stages, some KiB.
    static let limit = 512
    /// How long an execution waits for the next request. A user who fills in a form may need time.
    static let lifetime = Duration.seconds(15 * 60)
    /// Stages of one execution that can be gone back to.
    static let depth = 64
    /// Ids of ended executions that are remembered, to tell `session-expired` from `bad-sessionid`.
    static let remembered = 256

    private var open: [String: Execution] = [:]
    private var ended: [String] = []

    var count: Int { open.count }

    mutating func begin(_ execution: Execution, id: String, now: ContinuousClock.Instant) {
        expire(now)
        let same = open.filter { $0.value.requester.bare == execution.requester.bare }
        if same.count >= Self.limitPerRequester { endOldest(of: same) }
        if open.count >= Self.limit { endOldest(of: open) }
        open[id] = execution
    }

    /// The execution with this id for its requester. It is busy until it is ended or put back.
    mutating func take(_ id: String, by requester: JID, node: String, now: ContinuousClock.Instant) -> Entry {
        expire(now)
        guard var execution = open[id], execution.requester == requester, execution.node == node else {
            // An id of another requester is answered like one that never existed.
            return open[id] == nil && ended.contains(id) ? .ended : .unknown
        }
        guard !execution.isBusy else { return .busy }
        execution.isBusy = true
        open[id] = execution
        return .open(execution)
    }

    mutating func putBack(_ execution: Execution, id: String, now: ContinuousClock.Instant) {
        // It was ended meanwhile, as the oldest of too many.
        guard open[id] != nil else { return }
        var execution = execution
        execution.isBusy = false
        execution.lastUse = now
        if execution.steps.count > Self.depth { execution.steps.removeFirst() }
        open[id] = execution
    }

    mutating func end(_ id: String) {
        guard open.removeValue(forKey: id) != nil else { return }
        if ended.count >= Self.remembered { ended.removeFirst() }
        ended.append(id)
    }

    mutating func removeAll() { self = CommandSessions() }

    private mutating func expire(_ now: ContinuousClock.Instant) {
        for (id, execution) in open where execution.lastUse.advanced(by: Self.lifetime) < now && !execution.isBusy {
            end(id)
        }
    }

    private mutating func endOldest(of executions: [String: Execution]) {
        guard let oldest = executions.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        end(oldest.key)
    }
}
