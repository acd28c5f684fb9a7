import Foundation
import ServerFixtures
import Testing

/// Scripts/faults runs the long version.
@Suite("Random faults")
struct FaultTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["HONGYAN_FAULT_SEED"].flatMap { UInt64($0) } ?? 1
    private static let count = environment["HONGYAN_FAULTS"].flatMap { Int($0) } ?? 40
    /// A leak of a small object per connection would use more.
    private static let growth = 8 * 1024

    private static let threads = 20

    @Test("every message arrives exactly once and in order, on both sides", .timeLimit(.minutes(60)))
    func exactlyOnce() async throws {
        // Without an archive the server passes the messages of a lost session to the next one.
        let server = try await ServerKind.prosody13.start(ServerOptions { $0.removedModules = ["mam"] })
        let run = try await FaultRun(on: server)
        let report = try await run.run(Fault.plan(seed: Self.seed, count: Self.count))
        if Self.environment["HONGYAN_FAULTS"] != nil { Self.print(report) }
        for number in 0...1 {
            let received = report.received[1 - number]
            let missing = Set(1...report.sent[number]).subtracting(received).sorted()
            #expect(missing.isEmpty, "of client \(number + 1)")
            // The client drops duplicates, so this is the order.
            #expect(received == received.sorted() && Set(received).count == received.count)
            #expect(run.clients[number].exitStatus == 0)
        }
        // A message may arrive twice only if a session could not be resumed.
        #expect(report.doubled == 0 || report.newSessions > 2, "\(report.notes.joined(separator: "\n"))")
        let before = try #require(report.before)
        let after = try #require(report.after)
        // One more or less may be open at the moment, and the thread pool grows and shrinks within its limits.
        #expect(after.descriptors <= before.descriptors + 2)
        #expect(after.threads <= Self.threads)
        #expect(after.memory <= before.memory + Self.growth)
    }

    private static func print(_ report: FaultRun.Report) {
        let kinds = report.kinds.sorted { $0.key.name < $1.key.name }.map { "\($0.value) \($0.key.name)" }
        Swift.print(
            """
            seed \(seed): \(count) faults (\(kinds.joined(separator: ", "))) in \(report.time)
            messages: \(report.sent[0]) one way, \(report.sent[1]) the other; sessions: \(report.resumed) resumed, \
            \(report.newSessions) new; \(report.repetitions) times sent again, \(report.doubled) duplicated in transit
            \(report.notes.joined(separator: "\n"))
            client without kills: \(report.before.map { "\($0)" } ?? "-") -> \(report.after.map { "\($0)" } ?? "-")
            """)
    }
}
