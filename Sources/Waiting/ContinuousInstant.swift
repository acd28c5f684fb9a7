/// An instant of the clock that advances while the machine sleeps, as `ContinuousClock.Instant` is, with a layout that the compiler
/// knows.
///
/// The machines of the protocol get the time with each event and keep their deadlines. `ContinuousClock.Instant` hides its
/// layout, so that whatever contains one is copied, compared and destroyed by calls into the standard library. Compare only
/// instants of the same clock: those of the machine (`ContinuousInstant.now` of TransportLayer), or those of one test.
public struct ContinuousInstant: InstantProtocol, Sendable {
    /// The time from the start of the machine, or from the start of the clock of a test.
    public let sinceStart: Duration

    /// The instant of a clock that started so long before; of a clock that a test controls.
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }

    /// The instant so much later, or earlier if the duration is negative.
    public func advanced(by duration: Duration) -> Self { Self(sinceStart: sinceStart + duration) }

    /// The time from this instant to another one; negative if that is earlier.
    public func duration(to other: Self) -> Duration { other.sinceStart - sinceStart }

    public static func < (one: Self, other: Self) -> Bool { one.sinceStart < other.sinceStart }

    public static func + (instant: Self, duration: Duration) -> Self { instant.advanced(by: duration) }

    public static func += (instant: inout Self, duration: Duration) { instant = instant + duration }

    public static func - (later: Self, earlier: Self) -> Duration { earlier.duration(to: later) }
}
