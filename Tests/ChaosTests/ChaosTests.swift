import Foundation
import ServerFixtures
import Testing

/// Scripts/chaos runs the long version.
@Suite("Chaos", .serialized, .timeLimit(.minutes(240)))
struct ChaosTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["HONGYAN_CHAOS_SEED"].flatMap { UInt64($0) } ?? 1
    private static let isLong = environment["HONGYAN_CHAOS_SEED"] != nil

    private static func number(_ name: String) -> Int? { environment["HONGYAN_CHAOS_\(name)"].flatMap { Int($0) } }

    @Test("Nothing is lost, duplicated, out of order or in a wrong state, whatever fails", .enabled(if: !isLong))
    func short() async throws {
        let plan = ChaosRun.Plan(seed: 2, people: 4, time: .seconds(60), messages: 1000, faults: 40)
        try await Self.run(plan, on: .prosody)
    }

    @Test("nothing is lost without a reason or sent in clear with encryption, whatever fails", .enabled(if: !isLong))
    func encrypted() async throws {
        let plan = ChaosRun.Plan(
            seed: 4, people: 2, time: .seconds(8), messages: 80, faults: 10, isEncrypted: true)
        try await Self.run(plan, on: .prosody)
    }

    @Test("The long run", .enabled(if: isLong))
    func long() async throws {
        let seconds = Self.number("SECONDS") ?? 60
        let excluded = (Self.environment["HONGYAN_CHAOS_WITHOUT"] ?? "").split(separator: ",")
        let plan = ChaosRun.Plan(
            seed: Self.seed, people: Self.number("PEOPLE") ?? 8, time: .seconds(seconds),
            messages: Self.number("MESSAGES") ?? seconds * 12, faults: Self.number("FAULTS") ?? seconds / 2,
            without: Set(excluded.map(String.init)), isEncrypted: Self.environment["HONGYAN_CHAOS_ENCRYPTED"] != nil)
        let kind = Self.environment["HONGYAN_CHAOS_SERVER"].flatMap { ChaosService.Kind(rawValue: $0) }
        try await Self.run(plan, on: kind ?? .prosody)
    }

    private static func run(_ plan: ChaosRun.Plan, on kind: ChaosService.Kind) async throws {
        let run = try await ChaosRun(plan, on: try await ChaosService.start(kind))
        defer { if let folder = environment["HONGYAN_CHAOS_LOGS"] { run.copyFiles(to: folder) } }
        let report = try await run.run()
        print("\(report.summary)\nserver           \(kind.rawValue)")
        for problem in report.problems { Issue.record("\(problem)\nThe seed is \(plan.seed).") }
        if !report.verdict.isGood { Issue.record("\(report.summary)\n\(report.stories)") }
    }
}
