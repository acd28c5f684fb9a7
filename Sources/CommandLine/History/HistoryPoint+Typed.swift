internal import Automation
internal import ChatStore
internal import Glibc
internal import Localization
internal import MessageFeatures
internal import TerminalApp

/// The position from which to read older messages, as the user types it: a date or time by the clock of this computer,
/// a time in UTC (XEP-0082), or the number of a message.
extension HistoryPoint {
    /// Reads `2026-11-21`, `2026-11-21 14:05`, `2026-11-21T14:05:09`, `2026-11-21T13:05:09Z` or `4711`.
    init(_ text: String) throws(CommandError) {
        let text = text.trimmed
        if let number = Int64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .message(MessageID(rawValue: number))
        } else if let moment = Timestamp(text) {
            self = .time(MessageTime(millisecondsSince1970: moment.millisecondsSince1970))
        } else if let time = Self.localTime(text) {
            self = .time(time)
        } else {
            throw .usage(
                localized(
                    "“%@” is neither a time nor a message; write 2026-11-21, “2026-11-21 14:05” or a number.", text))
        }
    }

    /// A date, optionally followed by a time, by the clock of this computer.
    private static func localTime(_ text: String) -> MessageTime? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }
        guard (1...2).contains(parts.count) else { return nil }
        let day = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
        let clock =
            parts.count == 2 ? parts[1].split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) } : []
        guard day.count == 3, let year = day[0], let month = day[1], let dayOfMonth = day[2], (1...9999).contains(year),
            (1...12).contains(month), (1...31).contains(dayOfMonth), clock.isEmpty || (2...3).contains(clock.count),
            !clock.contains(nil)
        else { return nil }
        let units = clock.compactMap { $0 } + [0, 0, 0]
        guard (0...23).contains(units[0]), (0...59).contains(units[1]), (0...60).contains(units[2]) else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) = (year - 1900, month - 1, dayOfMonth)
        (moment.tm_hour, moment.tm_min, moment.tm_sec) = (units[0], units[1], units[2])
        // The C library determines whether daylight saving time applied.
        moment.tm_isdst = -1
        let seconds = mktime(&moment)
        return seconds == -1 ? nil : MessageTime(millisecondsSince1970: Int64(seconds) * 1000)
    }
}
