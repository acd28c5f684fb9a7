public import ChatStore
public import Foundation

/// What the models take from the world around them, so that tests can give them another one.
public struct ModelEnvironment: Sendable {
    public var now: @Sendable () -> MessageTime
    /// Decides where a day begins; asked again each time, because people travel.
    public var calendar: @Sendable () -> Calendar
    /// For what waits: drafts, typing notices, joined changes.
    public var clock: any Clock<Duration>
    /// Told, as a sentence, when something that must never be was met and made harmless.
    public var report: @Sendable (String) -> Void

    public init(
        now: @escaping @Sendable () -> MessageTime = { MessageTime(Date()) },
        calendar: @escaping @Sendable () -> Calendar = { .current },
        clock: any Clock<Duration> = ContinuousClock(), report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.now = now
        self.calendar = calendar
        self.clock = clock
        self.report = report
    }
}

extension MessageTime {
    public init(_ date: Date) {
        self.init(millisecondsSince1970: Int64((date.timeIntervalSince1970 * 1000).rounded(.down)))
    }

    public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }
}
