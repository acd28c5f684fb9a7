internal import Foundation
internal import Glibc

/// The names of kept files: the kind and the moment, such as `picture-20260912-101500.png`.
enum FileDate {
    /// The local time in digits.
    static var now: String {
        var moment = time(nil)
        var parts = tm()
        localtime_r(&moment, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(Int(parts.tm_year) + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))-"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
    }

    /// A path with `~` replaced by the home folder.
    static func expanded(_ path: String) -> String {
        (path as NSString).expandingTildeInPath
    }
}
