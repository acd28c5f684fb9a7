internal import ChatStore
internal import Synchronization

/// Determines when a message may be a stored one delivered by the server, and how old it can be (XEP-0203 §5): any
/// sender can forge a delay stamp, and most servers forward it.
///
/// Stored messages arrive between the start of a connection and the first response to a request made after sending the
/// presence. They were sent after this device was last online.
final class OfflineDelivery: Sendable {
    private struct State {
        /// When this device was last online, if known.
        var lastOnline: MessageTime?
        var isOpen = true
        var connection = 0
        var noted: MessageTime?
    }

    private let state = Mutex(State())

    /// The stored state of earlier sessions.
    func loaded(_ lastOnline: MessageTime?) {
        state.withLock { state in
            if let lastOnline, state.lastOnline.map({ $0 < lastOnline }) ?? true { state.lastOnline = lastOnline }
        }
    }

    /// The connection is lost: the server stores messages from now on.
    func connectionLost() {
        state.withLock { state in
            if !state.isOpen { state.lastOnline = state.noted ?? state.lastOnline }
            state.isOpen = true
            state.connection += 1
        }
    }

    /// The number of the connection.
    var connection: Int { state.withLock { $0.connection } }

    /// All stored messages have arrived over a connection.
    func ended(over connection: Int, at time: MessageTime) {
        state.withLock { state in
            guard state.connection == connection else { return }
            state.isOpen = false
            state.noted = time
        }
    }

    /// The oldest delay stamp accepted for a message that arrives now; `nil` accepts none.
    func earliestDelay(at time: MessageTime) -> MessageTime? {
        state.withLock { state in
            guard state.isOpen else { return nil }
            return state.lastOnline?.advanced(by: -Self.clockDifference) ?? time.advanced(by: -Self.longestUnknown)
        }
    }

    /// Records that the device is online.
    ///
    /// - Returns: whether to store that now, which happens at intervals.
    func isOnline(at time: MessageTime) -> Bool {
        state.withLock { state in
            guard !state.isOpen else { return false }
            guard let noted = state.noted, time < noted.advanced(by: Self.noteInterval) else {
                state.noted = time
                return true
            }
            return false
        }
    }

    /// In milliseconds: the accepted difference between the clocks of device and server, plus the interval of
    /// recording.
    private static let clockDifference: Int64 = 10 * 60_000
    /// In milliseconds: the accepted age on a device that was never online: a week. An older message gets its true time
    /// from the archive.
    private static let longestUnknown: Int64 = 7 * 24 * 3_600_000
    private static let noteInterval: Int64 = 60_000
}
