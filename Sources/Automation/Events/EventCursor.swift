internal import ChatStore

/// A position in the event log, as programs store it: `0d1f…-1042`.
///
/// The text names the log too, so that a position is never used in another one.
struct EventCursor: Hashable, Sendable, LosslessStringConvertible {
    let log: String
    let position: Int64

    init(log: String, position: Int64) {
        self.log = log
        self.position = position
    }

    init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let position = Int64(parts[1]), position >= 0,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        self.init(log: String(parts[0]), position: position)
    }

    var description: String { "\(log)-\(position)" }
}

extension EventLog {
    /// Whether everything after a cursor can still be read.
    func check(_ cursor: EventCursor) throws(EventLogError) {
        guard cursor.log == identity, cursor.position <= newest else { throw .unknown }
        guard cursor.position >= removed else { throw .lost }
    }
}

/// Why the events after a cursor are not known.
enum EventLogError: Error, Equatable {
    /// It belongs to another log: there was a time without readers, the store was damaged, or an old copy of it was
    /// restored.
    case unknown
    /// Events after it were removed, because there were too many, or because the reader has acknowledged a later one.
    case lost
}
