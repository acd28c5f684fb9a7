public import ChatStore
public import Foundation

/// The environment of the models, replaceable in tests.
public struct ModelEnvironment: Sendable {
    public var now: @Sendable () -> MessageTime
    /// Decides where a day starts. Read each time, because the time zone may change.
    public var calendar: @Sendable () -> Calendar
    /// The clock for delays: drafts, typing notifications, combined updates.
    public var clock: any Clock<Duration>
    /// Called with a description when an inconsistency was found and handled.
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
