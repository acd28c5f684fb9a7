internal import Automation
internal import EntityInformation
internal import JSONRPC
internal import MessageFeatures
internal import TerminalApp
internal import XMPPClient

/// The difference between the clocks of the server and of this computer (XEP-0202).
struct ClockCheck: DiagnosisCheck {
    /// The server's clock minus this computer's; `nil` if the server does not report its time.
    var difference: Duration?
    var duration: Duration?

    /// A smaller difference affects neither the order of messages nor the check of certificates.
    static let tolerance = Duration.seconds(30)

    var step: DiagnosisStep { .clock }

    var outcome: DiagnosisOutcome {
        guard let difference else { return .skipped }
        return abs(difference) > Self.tolerance ? .warning : .passed
    }

    private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }

    var summary: Phrase {
        guard let difference else { return Phrase("the server does not report its time") }
        let words = abs(difference).text
        if abs(difference) < .seconds(1) { return Phrase("the clocks agree") }
        return difference < .zero
            ? Phrase("the server's clock is %@ behind this computer's", words)
            : Phrase("the server's clock is %@ ahead of this computer's", words)
    }

    var details: [DiagnosisDetail] {
        guard outcome == .warning else { return [] }
        return [
            .init(
                Phrase("Correct the clock of this computer; if it is right, inform the operators of the server."),
                .warning
            )
        ]
    }

    var facts: [(String, JSONValue)] { [("differenceMilliseconds", .count(difference?.wholeMilliseconds))] }

    /// Half of the round-trip time is subtracted.
    static func run(in session: Session) async -> ClockCheck {
        let clock = ContinuousClock()
        let start = clock.now
        var check = ClockCheck()
        guard let server = await session.address?.domainJID else { return check }
        let answer = try? await session.time(of: server)
        check.duration = clock.now - start
        guard let answer, let way = check.duration else { return check }
        let own = Timestamp.now.millisecondsSince1970
        check.difference = .milliseconds(answer.time.millisecondsSince1970 - own) + way / 2
        return check
    }
}
