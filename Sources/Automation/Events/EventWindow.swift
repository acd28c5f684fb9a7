/// The events that a client has got and not acknowledged, without I/O: how many more it may get.
///
/// What a client costs is bounded by this window, however long it does nothing: further events stay in the log.
struct EventWindow: Sendable, Equatable {
    /// The maximum number of unacknowledged events: a client that acknowledges each of them still gets a full line.
    static let countLimit = 256
    /// The size in bytes of unacknowledged events from which on there are no more.
    static let byteLimit = 1 << 20
    /// The number of events after which the acknowledged position is written to the store.
    static let savingInterval: Int64 = 256

    private struct Sent: Sendable, Equatable {
        let position: Int64
        let bytes: Int
    }

    /// The position up to which the client has handled everything.
    private(set) var acknowledged: Int64
    /// The position that the store has.
    private(set) var saved: Int64
    /// The position of the last event that was sent, or skipped.
    private(set) var end: Int64
    private var sent: [Sent] = []
    private var bytes = 0
    private var isFull = false

    init(from position: Int64) { (acknowledged, saved, end) = (position, position, position) }

    /// The number of events that may be sent now: once the window is full, none before half of it is free, because a client
    /// that acknowledges each event would get the next ones one by one.
    var room: Int { isFull ? 0 : freeCount }

    var freeCount: Int { Self.countLimit - sent.count }

    /// The size of the events that may be sent now.
    var byteRoom: Int { Self.byteLimit - bytes }

    mutating func send(_ position: Int64, bytes: Int) {
        sent.append(Sent(position: position, bytes: bytes))
        self.bytes += bytes
        end = position
        isFull = freeCount <= 0 || self.bytes >= Self.byteLimit
    }

    /// Entries that have no content are passed over.
    mutating func skip(to position: Int64) { end = max(end, position) }

    /// - Returns: `false` if nothing was sent up to this position.
    mutating func acknowledge(_ position: Int64) -> Bool {
        guard position <= end else { return false }
        acknowledged = max(acknowledged, position)
        let rest = sent.drop { $0.position <= position }
        bytes -= sent.prefix(sent.count - rest.count).reduce(0) { $0 + $1.bytes }
        sent = Array(rest)
        if 2 * freeCount >= Self.countLimit, 2 * bytes <= Self.byteLimit { isFull = false }
        return true
    }

    /// The position to store now; `nil` if that can wait.
    var positionToSave: Int64? {
        let isDue = acknowledged - saved >= Self.savingInterval || sent.isEmpty && acknowledged > saved
        return isDue ? acknowledged : nil
    }

    mutating func saved(_ position: Int64) { saved = max(saved, position) }
}
