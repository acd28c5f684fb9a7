import Foundation
import Synchronization

/// Today and the days before it, as ranges: a list compares many times with them, and asking the calendar for each one is slow.
struct RecentDays: Sendable {
    private let calendar: Calendar
    let today: Range<Date>
    let yesterday: Range<Date>
    /// The five days before yesterday, of which the weekday is enough.
    let week: Range<Date>
    let year: Range<Date>

    private static let last = Mutex<RecentDays?>(nil)

    /// The days until a time; those of the last call while its day has not ended.
    static func around(_ now: Date, _ calendar: Calendar) -> RecentDays {
        last.withLock { last in
            if let last, last.today.contains(now), last.calendar == calendar { return last }
            let days = RecentDays(now, calendar)
            last = days
            return days
        }
    }

    private init(_ now: Date, _ calendar: Calendar) {
        self.calendar = calendar
        let start = calendar.startOfDay(for: now)
        func day(_ offset: Int) -> Date {
            // A day can begin at one o'clock, where clocks are put forward at midnight.
            calendar.startOfDay(for: calendar.date(byAdding: .day, value: offset, to: start) ?? start)
        }
        today = start..<max(start, day(1))
        yesterday = min(start, day(-1))..<start
        week = min(yesterday.lowerBound, day(-6))..<yesterday.lowerBound
        let interval = calendar.dateInterval(of: .year, for: now)
        year = (interval?.start ?? start)..<(interval?.end ?? today.upperBound)
    }
}
