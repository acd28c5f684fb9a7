import ChatStore
import Foundation
import Synchronization

/// A clock that can be wrong.
final class ShiftedClock: Sendable {
    private let error = Mutex<Int64>(0)

    /// In milliseconds.
    func shift(to milliseconds: Int64) { error.withLock { $0 = milliseconds } }

    var now: MessageTime {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        return MessageTime(millisecondsSince1970: now + error.withLock { $0 })
    }
}
