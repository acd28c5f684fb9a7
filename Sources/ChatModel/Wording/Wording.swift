public import ChatStore
internal import Foundation
internal import Localization

/// What people read in every program: states, steps, failures, sizes, durations and dates, in the language of the person.
///
/// The layers below report codes and values; only this turns them into sentences.
public enum Wording {
    /// A size in bytes: `820 kB`, `1.4 MB`.
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
        return "\(text) \(units[unit])"
    }

    /// A duration as a player shows it: `0:07`, `1:02:45`.
    public static func length(_ duration: Duration) -> String {
        let seconds = max(0, Int((duration / .seconds(1)).rounded()))
        let (minutes, rest) = (seconds / 60, seconds % 60)
        let end = (rest < 10 ? "0" : "") + String(rest)
        guard minutes >= 60 else { return "\(minutes):\(end)" }
        return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60):\(end)"
    }
}
