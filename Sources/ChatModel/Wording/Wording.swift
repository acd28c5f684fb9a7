public import ChatStore
public import Foundation
internal import Localization

/// The texts of every program for states, steps, failures, sizes, durations and dates, in the user's language.
///
/// The layers below report codes and values; only this turns them into sentences.
public enum Wording {
    /// A size in bytes: `820 kB`, `1.4 MB`. No line breaks before the unit.
    public static func size(_ bytes: some BinaryInteger) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var value = Double(max(0, bytes))
        var unit = 0
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        var number = value < 10 && unit > 0 ? (value * 10).rounded() / 10 : value.rounded()
        if number >= 1000, unit < units.count - 1 {
            number /= 1000
            unit += 1
        }
        let text = number == number.rounded() ? String(Int(number)) : String(number)
        return unbroken("\(text) \(units[unit])")
    }

    /// A number with its unit, in one piece: a line that ends in between reads badly.
    private static func unbroken(_ quantity: String) -> String { quantity.replacing(" ", with: "\u{A0}") }

    /// A duration in whole seconds: `11 s`. No line breaks before the unit.
    public static func seconds(_ count: some BinaryInteger) -> String { unbroken(localized("%@ s", count.description)) }

    /// A duration in whole minutes: `3 min`. No line breaks before the unit.
    static func minutes(_ count: Int) -> String { unbroken(localized("%@ min", count)) }

    /// A duration as a player shows it: `0:07`, `1:02:45`.
    public static func length(_ duration: Duration) -> String {
        let seconds = max(0, Int((duration / .seconds(1)).rounded()))
        let (minutes, rest) = (seconds / 60, seconds % 60)
        let end = (rest < 10 ? "0" : "") + String(rest)
        guard minutes >= 60 else { return "\(minutes):\(end)" }
        return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60):\(end)"
    }
}

/// Dates and times of day.
extension Wording {
    private static let clock = formatter("jmm")
    private static let weekday = formatter("EEEE")
    private static let shortDay = formatter("Md")
    private static let dayOfYear = formatter("EEEEdMMMM")
    private static let shortDate = formatter("yMd")
    private static let longDate = formatter("EEEEdMMMMy")
    private static let moment = formatter("EEEEdMMMMyjmm")

    private static func formatter(_ template: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: Localization.language)
        formatter.setLocalizedDateFormatFromTemplate(template)
        return formatter
    }

    private static func text(_ formatter: DateFormatter, _ date: Date) -> String {
        // Few fonts have the narrow no-break space that Unicode CLDR uses before "AM" since version 42.
        formatter.string(from: date).replacing("\u{202F}", with: "\u{A0}")
    }

    /// The time of day.
    public static func clock(_ time: MessageTime) -> String { text(clock, time.date) }

    /// Date and time in full.
    public static func full(_ time: MessageTime) -> String { text(moment, time.date) }

    /// Short, for a list: the time of today, the weekday of the last days, the date of what is older.
    public static func short(_ time: MessageTime, now: Date = Date(), calendar: Calendar = .current) -> String {
        let date = time.date
        let days = RecentDays.around(now, calendar)
        if days.today.contains(date) { return text(clock, date) }
        if days.yesterday.contains(date) { return localized("Yesterday") }
        if days.week.contains(date) { return weekday.string(from: date) }
        return (days.year.contains(date) ? shortDay : shortDate).string(from: date)
    }

    /// The label of a day separator.
    public static func day(_ day: TimelineDay, now: Date = Date(), calendar: Calendar = .current) -> String {
        let date = day.start.date
        let days = RecentDays.around(now, calendar)
        if days.today.contains(date) { return localized("Today") }
        if days.yesterday.contains(date) { return localized("Yesterday") }
        return (days.year.contains(date) ? dayOfYear : longDate).string(from: date)
    }

    /// A short duration with the precision that is needed to compare steps: `12 ms`, `1.4 s`. No line breaks before the
    /// unit.
    public static func precise(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded(.down))
        if milliseconds < 1000 { return unbroken("\(milliseconds) ms") }
        let tenths = (milliseconds + 50) / 100
        return unbroken("\(tenths / 10).\(tenths % 10) s")
    }
}
