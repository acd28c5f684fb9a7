internal import ChatStore

/// How long a message waits after something that may work later: an upload, or sealing.
enum SendBackoff {
    /// After the first attempt, and the longest, in milliseconds.
    private static let limits: ClosedRange<Int64> = 5_000...300_000

    /// - Parameter attempts: how many there were.
    static func end(after attempts: Int, now: MessageTime) -> MessageTime {
        now.advanced(by: min(limits.lowerBound << min(attempts, 6), limits.upperBound))
    }
}
