/// A time in the format of the protocol, such as `2002-09-10T23:08:25.123Z` (XEP-0082 XMPP Date and Time Profiles
/// §3.2).
///
/// Stored as milliseconds since 1970-01-01T00:00:00Z, so that it needs neither a calendar nor a time zone database.
/// Years 0001 to 9999; anything finer than a millisecond is dropped; a leap second counts as the second before it.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
    public var millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Reads the DateTime profile; `nil` for anything else, including impossible dates.
    public init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            year >= 1, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        guard let milliseconds = reader.fraction(), let offset = reader.zone(), reader.isAtEnd else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + min(second, 59)) - Int64(offset) * 60
        self.init(millisecondsSince1970: seconds * 1000 + Int64(milliseconds))
    }

    /// The DateTime profile in UTC, with milliseconds only when there are any.
    public var description: String {
        func pad(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let (allSeconds, milliseconds) = Self.divide(millisecondsSince1970, by: 1000)
        let (day, secondOfDay) = Self.divide(allSeconds, by: 86_400)
        let (year, month, dayOfMonth) = Self.date(daysSince1970: Int(day))
        let time = Int(secondOfDay)
        let fraction = milliseconds == 0 ? "" : "." + pad(Int(milliseconds), 3)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(dayOfMonth, 2))T"
            + "\(pad(time / 3600, 2)):\(pad(time / 60 % 60, 2)):\(pad(time % 60, 2))\(fraction)Z"
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    // The proleptic Gregorian calendar, counted from 1 March so that the leap day is the last of its year.

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted >= 0 ? shifted / 400 : (shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func divide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = ((value % divisor) + divisor) % divisor
        return ((value - remainder) / divisor, remainder)
    }

    /// Walks over the bytes of a timestamp.
    private struct Reader {
        var bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func number(_ digits: Int) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[position..<position + digits] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            position += digits
            return value
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        /// Milliseconds; 0 without a fraction, `nil` if a point is not followed by digits.
        mutating func fraction() -> Int? {
            guard skip(".") else { return 0 }
            var value = 0
            var scale = 100
            let start = position
            while let digit = number(1) {
                value += digit * scale
                scale /= 10
            }
            return position > start ? value : nil
        }

        /// Minutes east of UTC.
        mutating func zone() -> Int? {
            if skip("Z") { return 0 }
            let sign = skip("+") ? 1 : skip("-") ? -1 : 0
            guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours <= 23, minutes <= 59
            else { return nil }
            return sign * (hours * 60 + minutes)
        }
    }
}
