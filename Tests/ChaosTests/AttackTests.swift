import Foundation
import HostileFixtures
import ProgramFixtures
import ServerFixtures
import Testing

@testable import ChaosClient

/// Users chat while strangers and another user attack them. `Scripts/attack` runs the long version.
@Suite("Attack", .serialized, .timeLimit(.minutes(240)))
struct AttackTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["HONGYAN_ATTACK_SECONDS"].flatMap { Int($0) }
    private static let seed = environment["HONGYAN_ATTACK_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "nothing is lost, duplicated or forged in a conversation under attack, and no stranger gets any information",
        .enabled(if: seconds == nil))
    func short() async throws {
        try await Self.run(seed: 3, seconds: 20, on: .prosody)
    }

    @Test("the long run", .enabled(if: seconds != nil))
    func long() async throws {
        let kind = Self.environment["HONGYAN_ATTACK_SERVER"].flatMap { ChaosService.Kind(rawValue: $0) }
        try await Self.run(seed: Self.seed, seconds: Self.seconds ?? 60, on: kind ?? .prosody)
    }

    /// The longest iteration of the main loop of a desktop, its start included, in milliseconds of the processor.
    private static let turn = 100.0

    private static func run(seed: UInt64, seconds: Int, on kind: ChaosService.Kind) async throws {
        let service = try await ChaosService.start(kind, componentDomains: Attackers.domains)
        let server = service.nodes[0]
        let plan = ChaosRun.Plan(
            seed: seed, people: 3, time: .seconds(seconds), messages: max(60, seconds * 4), faults: 0)
        var run = try await ChaosRun(plan, on: service)
        let listener = try await Person("listener", onAny: server)
        let program = try await listener.listen()
        // A window needs a display, sound and a bus, which is too much for a short run.
        let desktop = Self.seconds == nil ? nil : try await DesktopPerson("window", onAny: server)
        let window = try desktop?.start()
        let (devices, room) = (run.devices, run.room)
        let state = AttackState()
        run.whileTyping = {
            let victims =
                Array(Set(devices.map(\.address))).sorted() + [listener.address]
                + [desktop?.person.address].compactMap(\.self)
            let attackers = try await Attackers(
                seed: seed, on: server, devices: devices, victims: victims, room: room)
            let processes =
                devices.map { AttackSeries.Process($0) } + [AttackSeries.Process("listen", program)]
                + [window.map { AttackSeries.Process("window", $0, store: desktop?.store) }].compactMap(\.self)
            let series = AttackSeries(of: processes) { devices.reduce(0) { $0 + $1.status.typed } }
            await state.begin(attackers, series)
            async let watching: Void = series.watch(for: .seconds(seconds))
            try await attackers.attack(for: .seconds(seconds))
            try await watching
        }
        let report = try await run.run()
        let attackers = try #require(await state.attackers)
        try await attackers.sendMarker("the last word", to: listener.address)
        try await program.waitForOutput("the last word") { $0.contains("the last word") }
        var longestIteration: DesktopPerson.LongestIteration?
        if let desktop, let window {
            try await attackers.sendMarker("the last word", to: desktop.person.address)
            try await window.poll("the last word", seconds: 120) { desktop.hasStored("the last word") }
            longestIteration = try await desktop.quit(window)
        }
        let series = try #require(await state.series)
        let leaked = await attackers.leaked()
        print(
            """
            \(report.summary)
            server           \(kind.rawValue)
            attacks          \(attackers.attacks)
            pages of forgers \(attackers.lair.room.readPages)
            told to strangers \(leaked.count)
            longest iteration     \(longestIteration.map { "\($0.processorMilliseconds) ms of the processor" } ?? "not measured")
            KiB:
            \(series.table)
            """)
        for problem in report.problems { Issue.record("\(problem)\nThe seed is \(seed).") }
        if !report.verdict.isGood { Issue.record("\(report.summary)\n\(report.stories)") }
        #expect(leaked.isEmpty, "no stranger learns who is there: \(leaked.prefix(3))")
        #expect(attackers.lair.room.readPages > 0, "the archive of the attackers' room was read")
        for finding in series.findings { Issue.record("\(finding)\n\(series.table)") }
        if let longestIteration {
            #expect(
                longestIteration.processorMilliseconds < Self.turn, "milliseconds of one iteration of the main loop")
        }
        #expect(program.output.ranges(of: "\"state\":\"online\"").count == 1, "listen never lost its session")
        program.signal(15)
        _ = await program.result()
    }
}

/// The results of the attack.
private actor AttackState {
    private(set) var attackers: Attackers?
    private(set) var series: AttackSeries?

    func begin(_ attackers: Attackers, _ series: AttackSeries) {
        self.attackers = attackers
        self.series = series
    }
}
