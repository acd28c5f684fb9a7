internal import ChatModel
internal import TerminalApp
internal import XMPPClient

/// The costs of an idle connection: the counts since it was established, and the projection for an hour.
struct TrafficBudget: Equatable {
    var bytesSent: UInt64
    var bytesReceived: UInt64
    var wakeUps: UInt64
    var keepAlives: UInt64
    var elapsed: Duration

    /// With a shorter time a single stanza would be an absurd amount per hour.
    static let shortestTime = Duration.seconds(10)

    init(bytesSent: UInt64, bytesReceived: UInt64, wakeUps: UInt64, keepAlives: UInt64, elapsed: Duration) {
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.wakeUps = wakeUps
        self.keepAlives = keepAlives
        self.elapsed = elapsed
    }

    init(from first: Traffic, to last: Traffic, elapsed: Duration) {
        self.init(
            bytesSent: last.bytesSent - first.bytesSent, bytesReceived: last.bytesReceived - first.bytesReceived,
            wakeUps: last.wakeUps - first.wakeUps, keepAlives: last.keepAlives - first.keepAlives, elapsed: elapsed)
    }

    var bytes: UInt64 { bytesSent + bytesReceived }

    /// `nil` as long as the time is too short.
    func perHour(_ count: UInt64) -> UInt64? {
        guard elapsed >= Self.shortestTime else { return nil }
        return UInt64((Double(count) * 3_600_000 / Double(elapsed.wholeMilliseconds)).rounded())
    }

    var phrase: Phrase {
        let time = elapsed.clockWords
        guard let bytes = perHour(bytes), let wakeUps = perHour(wakeUps) else {
            return Phrase("%@ and %@ wake-ups in %@", Wording.size(self.bytes), self.wakeUps, time)
        }
        return Phrase("%@ keep-alives; ≈ %@/h, %@ wake-ups/h (from %@)", keepAlives, Wording.size(bytes), wakeUps, time)
    }

    var json: JSONValue {
        JSONValue([
            ("event", "traffic"), ("milliseconds", .count(elapsed.wholeMilliseconds)),
            ("bytesSent", .count(bytesSent)), ("bytesReceived", .count(bytesReceived)), ("wakeUps", .count(wakeUps)),
            ("keepAlives", .count(keepAlives)), ("bytesPerHour", .count(perHour(bytes))),
            ("wakeUpsPerHour", .count(perHour(wakeUps))),
        ])
    }
}

extension Duration {
    /// `0:42`, `1:02:03`.
    var clockWords: String {
        let seconds = max(components.seconds, 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60
        return minutes < 60
            ? "\(minutes):\(two(seconds % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
    }
}
