internal import ChatStore
internal import XMPPStream

/// How long a message waits after something that may work later: an upload, or sealing.
enum SendBackoff {
    private static let backoff = Backoff(first: .seconds(5), longest: .seconds(300))

    /// - Parameter attempts: how many there were before.
    static func end(after attempts: Int, now: MessageTime) -> MessageTime {
        now.advanced(by: backoff.pause(after: attempts + 1).components.seconds * 1000)
    }
}
