internal import ChatStore
internal import Glibc
package import MessageFeatures

extension Timestamp {
    /// This moment by the computer's clock.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    private var local: tm {
        var seconds = time_t(millisecondsSince1970 / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }

    /// `14:05` in the computer's time zone.
    package var clockText: String {
        let parts = local
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(parts.tm_hour)):\(two(parts.tm_min))"
    }

    /// `14:05:09` in the computer's time zone.
    package var exactClockText: String {
        let seconds = local.tm_sec
        return clockText + (seconds < 10 ? ":0\(seconds)" : ":\(seconds)")
    }

    /// `2026-09-12` in the computer's time zone.
    package var dayText: String {
        let parts = local
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }
}
