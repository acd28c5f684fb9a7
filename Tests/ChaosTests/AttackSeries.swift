import Foundation
import ProgramFixtures
import ServerFixtures
import Synchronization

@testable import ChaosClient

/// What the processes under attack hold, looked at again and again while the attack goes on.
///
/// A process may grow with what its person's conversations bring, and within bounds with what strangers send. Whatever grows
/// beyond that in the second half of a run grows without end.
final class AttackSeries: Sendable {
    /// A process, and the files that it stores messages in.
    struct Process: Sendable {
        var name: String
        var id: @Sendable () -> Int32?
        var store: String?

        init(_ device: ChaosDevice) {
            (name, id) = (device.name, { device.program.id })
            store = "\(device.program.folder)/\(ChaosFiles.store)"
        }

        init(_ name: String, _ program: Program, store: String? = nil) {
            (self.name, self.store) = (name, store)
            id = { program.process }
        }

        /// Resident, in KiB.
        var memory: Int { id().flatMap { PrivateProgram.Holdings(of: $0) }?.memory ?? 0 }

        /// With the log and its index, in KiB.
        var stored: Int {
            guard let store else { return 0 }
            return ["", "-wal", "-shm"].reduce(0) { sum, end in
                let attributes = try? FileManager.default.attributesOfItem(atPath: store + end)
                return sum + (attributes?[.size] as? Int ?? 0) / 1024
            }
        }
    }

    struct Sample: Sendable {
        var second: Int
        /// Typed by everybody so far.
        var messages: Int
        var memory: [Int]
        var stored: [Int]
    }

    /// KiB for one message of the conversation: its row, its names in five indexes, and its words in the index for searching.
    private static let explained = 1
    /// KiB by which a process may grow in the second half beside that: the store's page caches, and freed memory that the allocator
    /// has not given back.
    private static let memoryGrowth = 8 << 10
    /// KiB by which a store may grow so: the log reaches 4 MiB before it is joined to the file, and strangers have 256 KiB each, with
    /// the index for searching about twice that.
    private static let storeGrowth = 8 << 10
    private static let samples = 20

    private let processes: [Process]
    private let typed: @Sendable () -> Int
    private let taken = Mutex<[Sample]>([])

    /// - Parameter typed: how many messages were typed so far, by everybody.
    init(of processes: [Process], typed: @escaping @Sendable () -> Int) {
        self.processes = processes
        self.typed = typed
    }

    /// Looks until the time is over.
    func watch(for time: Duration) async throws {
        let start = ContinuousClock.now
        for number in 0...Self.samples {
            try await Task.sleep(until: start + time / Self.samples * number)
            let sample = Sample(
                second: Int((ContinuousClock.now - start).components.seconds), messages: typed(),
                memory: processes.map(\.memory), stored: processes.map(\.stored))
            taken.withLock { $0.append(sample) }
        }
    }

    /// A line for each look.
    var table: String {
        func row(_ cells: [String]) -> String {
            cells.map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }.joined()
        }
        var lines = [
            row(["second", "messages"] + processes.map { $0.name + " RSS" } + processes.map { $0.name + " file" })
        ]
        for sample in taken.withLock({ $0 }) {
            lines.append(row(([sample.second, sample.messages] + sample.memory + sample.stored).map(String.init)))
        }
        return lines.joined(separator: "\n")
    }

    /// What has grown too much in the second half.
    var findings: [String] {
        let samples = taken.withLock { $0 }
        guard samples.count > Self.samples / 2 else {
            return ["There are only \(samples.count) looks at the processes."]
        }
        let (middle, end) = (samples[samples.count / 2 - 1...samples.count / 2 + 1], samples.suffix(3))
        let messages = (samples.last?.messages ?? 0) - samples[samples.count / 2].messages
        func growth(_ value: (Sample) -> Int) -> Int {
            Self.median(end.map(value)) - Self.median(middle.map(value)) - messages * Self.explained
        }
        var findings: [String] = []
        for (index, process) in processes.enumerated() {
            let (memory, stored) = (growth { $0.memory[index] }, growth { $0.stored[index] })
            if memory > Self.memoryGrowth {
                findings.append(
                    "\(process.name) has grown by \(memory) KiB of memory that \(messages) messages do not explain")
            }
            if stored > Self.storeGrowth {
                findings.append(
                    "the store of \(process.name) has grown by \(stored) KiB that \(messages) messages do not explain")
            }
        }
        return findings
    }

    private static func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }
}
