/// Exponential backoff: pauses that double with each failure in a row, up to a maximum.
///
///     let backoff = Backoff(first: .seconds(5), longest: .seconds(300))
///     backoff.pause(after: 3)  // 20 seconds
///
/// The single rule for retries in this package: of connections (``ReconnectionPolicy`` adds jitter), of archive
/// queries, of uploads.
public struct Backoff: Sendable, Hashable {
    /// The pause after the first failure.
    public var first: Duration
    /// The maximum.
    public var longest: Duration

    public init(first: Duration, longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
    }

    /// The pause after this many failures in a row; after none or one it is ``first``, but never more than ``longest``.
    public func pause(after failures: Int) -> Duration {
        // A pause of zero would never reach the maximum by doubling.
        guard first > .zero else { return min(first, longest) }
        var pause = first
        var counted = 1
        while counted < failures, pause < longest {
            pause *= 2
            counted += 1
        }
        return min(pause, longest)
    }
}
