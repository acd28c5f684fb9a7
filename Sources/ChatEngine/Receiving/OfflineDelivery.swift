internal import ChatStore
internal import Synchronization

/// When a server may say that it has kept a message, and how old such a message can be (XEP-0203 §5): anybody can write a delay,
/// and most servers let it through.
///
/// What was kept comes between the beginning of a connection and the first answer to what was asked after the presence was sent.
/// It was sent after this device was last online.
final class OfflineDelivery: Sendable {
    private struct State {
        /// Until when this device was online before, as far as that is known.
        var lastOnline: MessageTime?
        var isOpen = true
        var connection = 0
        var noted: MessageTime?
    }

    private let state = Mutex(State())

    /// What the store knows of earlier sessions.
    func loaded(_ lastOnline: MessageTime?) {
        state.withLock { state in
            if let lastOnline, state.lastOnline.map({ $0 < lastOnline }) ?? true { state.lastOnline = lastOnline }
        }
    }

    /// The connection is lost: with the next one the server delivers what it keeps from now on.
    func connectionLost() {
        state.withLock { state in
            if !state.isOpen { state.lastOnline = state.noted ?? state.lastOnline }
            state.isOpen = true
            state.connection += 1
        }
    }

    /// Which connection this is.
    var connection: Int { state.withLock { $0.connection } }

    /// Everything that was kept has come over a connection.
    func ended(over connection: Int, at time: MessageTime) {
        state.withLock { state in
            guard state.connection == connection else { return }
            state.isOpen = false
            state.noted = time
        }
    }

    /// The oldest delay that is believed of a message that comes now; `nil` believes none.
    func earliestDelay(at time: MessageTime) -> MessageTime? {
        state.withLock { state in
            guard state.isOpen else { return nil }
            return state.lastOnline?.advanced(by: -Self.clockDifference) ?? time.advanced(by: -Self.longestUnknown)
        }
    }

    /// Notes that the device is online.
    ///
    /// - Returns: whether it is time to store that; it is stored once in a while.
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

    /// How much the clocks of this device and of the server may differ, and what was noted may be late, in milliseconds.
    private static let clockDifference: Int64 = 10 * 60_000
    /// How old a kept message can be on a device that was never online, in milliseconds: a week. What is older and genuine has its
    /// true time in the archive.
    private static let longestUnknown: Int64 = 7 * 24 * 3_600_000
    private static let noteInterval: Int64 = 60_000
}
