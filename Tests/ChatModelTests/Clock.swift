import ChatStore
import Foundation

/// The time of this machine, as the store counts it.
let now: @Sendable () -> MessageTime = {
    MessageTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
}
