import Foundation

@testable import ChaosClient

/// The report of a run.
struct ChaosReport: Sendable {
    let plan: ChaosRun.Plan
    let verdict: ChaosVerdict
    /// What took too long.
    let problems: [String]
    let summary: String
    /// The history of some of the messages with errors.
    let stories: String

    private static let told = 3

    init(
        plan: ChaosRun.Plan, devices: [ChaosDevice], faults: [ChaosFault], verdict: ChaosVerdict, problems: [String],
        time: Duration
    ) {
        self.plan = plan
        self.verdict = verdict
        self.problems = problems
        let logs = devices.map { (name: $0.name, log: $0.log) }
        func count(_ text: String) -> Int {
            logs.reduce(0) { $0 + $1.log.components(separatedBy: text).count - 1 }
        }
        let kinds = Dictionary(grouping: faults, by: \.kind).map { "\($0.key.name) \($0.value.count)" }.sorted()
        summary = """
            seed             \(plan.seed)
            devices          \(devices.count) of \(plan.people) people
            messages         \(verdict.typed), \(verdict.uncertain) of them typed at the moment of a kill
            delivered        \(verdict.delivered) of \(verdict.direct) direct ones by receipt
            faults           \(faults.count): \(kinds.joined(separator: ", "))
            starts           \(count("started as "))
            sessions         \(count("session resumed")) resumed, \(count("new session")) new
            disk             \(count(" not typed ")) messages refused, \(count("session ended")) sessions ended by it
            lost             \(verdict.count(.lost))
            duplicated       \(verdict.count(.duplicated))
            out of order     \(verdict.count(.disordered))
            wrong states     \(verdict.count(.wrongState))
            forged           \(verdict.count(.forged))\(Self.secrecy(of: verdict, plan, logs.map(\.log)))
            seconds          \(time.components.seconds)
            """
        var told: [String] = []
        var bodies: Set<String> = []
        for kind in ChaosVerdict.Finding.Kind.allCases {
            for finding in verdict.findings where finding.kind == kind {
                guard told.count < Self.told * (bodies.count + 1), bodies.count < 3 * Self.told else { break }
                told.append(
                    "\(kind.rawValue): on \(finding.device) in \(finding.conversation): “\(finding.body)” \(finding.sentence)"
                )
                if bodies.insert(finding.body).inserted { told.append(Self.story(of: finding.body, logs)) }
            }
        }
        stories = told.joined(separator: "\n")
    }

    private static func secrecy(of verdict: ChaosVerdict, _ plan: ChaosRun.Plan, _ logs: [String]) -> String {
        guard plan.isEncrypted else { return "" }
        let copies = logs.reduce(0) { count, log in
            count + log.split(separator: "\n").count { $0.contains(" out ") && $0.contains(" \(DeviceLog.copy) ") }
        }
        return """

            in clear         \(verdict.count(.clear))
            read too early   \(verdict.count(.early))
            unreadable       \(verdict.count(.unreadable))
            on the devices   \(verdict.decrypted) decrypted, \(verdict.withoutKey) without a key for the device, \
            \(verdict.afterRestore) unreadable after a restore
            copies           \(copies) sent again for a device that could not decrypt a message
            """
    }

    /// Everything that all devices have recorded about a message, in the order of time.
    private static func story(of body: String, _ logs: [(name: String, log: String)]) -> String {
        var names: Set<Substring> = ["“\(body)”"]
        for (_, log) in logs {
            for line in log.split(separator: "\n") where line.contains("“\(body)”") {
                let words = line.split(separator: " ")
                if words.count > 4, words[1] == "out" { names.insert(words[4]) }
                // The text of an encrypted message is only here.
                if words.count > 2, words[1] == "typed", words[2] != "-" { names.insert(words[2]) }
            }
        }
        var lines: [String] = []
        for (device, log) in logs {
            for line in log.split(separator: "\n") {
                guard names.contains(where: { line.contains($0) }) || isEvent(line, of: device, in: body) else {
                    continue
                }
                lines.append("    \(line.prefix(14)) \(device) \(line.dropFirst(15))")
            }
        }
        return lines.sorted().joined(separator: "\n")
    }

    /// The events of the author's device are part of the history.
    private static func isEvent(_ line: Substring, of device: String, in body: String) -> Bool {
        body.hasPrefix(device + " ")
            && ["started as", "session ", "offline", "problem", "settling"].contains { line.contains($0) }
    }
}
