import CGlibc
import ChatApp
import Foundation
import GTKBinding
import Glibc

/// Opens the window, waits, scrolls and switches between conversations, and prints the costs.
final class DesktopMeasurement {
    private let program: DesktopProgram
    private let switches: Int
    /// On Wayland, not on X11.
    private let isWayland = getenv("WAYLAND_DISPLAY") != nil
    private let start = ContinuousClock.now
    /// Wall clock and processor time: under other load only the second is meaningful.
    private var frames: [(wall: Duration, processor: Duration)] = []
    private var rows: [(name: String, value: String, target: String)] = []

    /// A timeout that only an error exceeds.
    private static let timeout = Duration.seconds(120)
    /// After so many conversations everything that is created once exists; a multiple of the conversations that are
    /// opened.
    private static let warmUp = 100

    init(_ program: DesktopProgram, switches: Int) {
        self.program = program
        self.switches = switches
    }

    func run() async {
        await wait { self.program.isListShown }
        note("first paint of the list", ContinuousClock.now - start, Self.processorTime, "")
        program.onFrameWork { [weak self] in self?.frames.append(($0, $1)) }
        program.openConversation(at: 0)
        await wait { self.program.isTimelineShown }
        note("first paint of list and timeline", ContinuousClock.now - start, Self.processorTime, "≤ 700 ms")
        try? await Task.sleep(for: .seconds(3))
        note("memory (RSS) when it is open", "\(Self.residentKiB / 1024) MiB", memoryTarget)

        for (pixels, target) in [(40.0, ("≤ 10 ms", "≤ 20 ms")), (400.0, ("", ""))] {
            frames = []
            await withCheckedContinuation { continuation in
                program.scrollTimeline(by: pixels, frames: 400) { continuation.resume() }
            }
            guard !frames.isEmpty else { continue }
            let (wall, processor) = (frames.map(\.wall).sorted(), frames.map(\.processor).sorted())
            for (name, share, target) in [("median", 50, target.0), ("95 %", 95, target.1)] {
                let place = wall.count * share / 100
                note("frame while scrolling \(Int(pixels)) px, \(name)", wall[place], processor[place], target)
            }
        }
        note("memory (RSS) after scrolling", "\(Self.residentKiB / 1024) MiB", memoryTarget)

        // A cursor blinks for ten seconds after the last key press.
        try? await Task.sleep(for: .seconds(15))
        let (before, frameCount) = (Self.processorTime, frames.count)
        try? await Task.sleep(for: .seconds(10))
        note("processor while idle for 10 s", "\(Self.text(Self.processorTime - before))", "0")
        note("frames while idle for 10 s", "\(frames.count - frameCount)", "0")

        await measureSwitches()
        show()
        program.quit()
    }

    /// The memory after so many switches between conversations, and after as many again: if it grows by the same amount
    /// again it is a leak, otherwise it was only allocated late.
    private func measureSwitches() async {
        // A complete number of rounds ends with the first conversation.
        let others = max(1, min(50, program.conversationCount - 1))
        await change(Self.warmUp, others)
        for times in ["first", "second"] {
            let (before, wall, processor) = (Living(), ContinuousClock.now, Self.processorTime)
            await change(switches, others)
            let (after, name) = (Living(), "the \(times) \(switches) conversations")
            note(
                "another conversation, mean of \(name)", (ContinuousClock.now - wall) / switches,
                (Self.processorTime - processor) / switches, "")
            note("memory in use more after \(name)", "\(after.used - before.used) KiB", "0")
            note("memory (RSS) more after \(name)", "\(after.resident - before.resident) KiB", "")
            note(
                "wrappers of GTK's objects more after \(name)",
                "\(after.objects - before.objects), \(after.objects) in all", "0")
            let observations = after.observations - before.observations
            note("observations more after \(name)", "\(observations), \(after.observations) in all", "0")
            note("rows more after \(name)", "\(after.rows - before.rows), \(after.rows) in all", "0")
        }
    }

    private func change(_ times: Int, _ others: Int) async {
        for round in 0..<times {
            program.openConversation(at: 1 + round % others)
            await wait { self.program.isTimelineShown }
        }
    }

    /// What is alive. The resident size also has what the heap keeps for later, and grows while that finds its size.
    private struct Living {
        let used = heap_in_use() / 1024
        let resident = DesktopMeasurement.residentKiB
        let objects = Object.liveCount
        let rows = ListRows.liveCount
        let observations = ViewObservation.liveCount
    }

    private var memoryTarget: String { isWayland ? "≤ 160 MiB" : "≤ 200 MiB" }

    // MARK: Looking

    private func wait(until isTrue: () -> Bool) async {
        let end = ContinuousClock.now + Self.timeout
        while !isTrue() {
            guard ContinuousClock.now < end else {
                print("failed: the window does not get there")
                exit(1)
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// In KiB, as the kernel counts it.
    private static var residentKiB: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }

    /// Of all threads, in user and kernel mode.
    private static var processorTime: Duration {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        func duration(_ time: timeval) -> Duration { .seconds(time.tv_sec) + .microseconds(Int(time.tv_usec)) }
        return duration(usage.ru_utime) + duration(usage.ru_stime)
    }

    private func note(_ name: String, _ wall: Duration, _ processor: Duration, _ target: String) {
        note(name, "\(Self.text(wall)) (\(Self.text(processor)))", target)
    }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return String(format: milliseconds < 100 ? "%.1f ms" : "%.0f ms", milliseconds)
    }

    private func note(_ name: String, _ value: String, _ target: String) {
        rows.append((name, value, target))
        // Shows progress, because some steps take minutes.
        FileHandle.standardError.write(Data("\(name): \(value)\n".utf8))
    }

    private func show() {
        let lines = [("", "one waits (processor)", "target")] + rows.map { ($0.name, $0.value, $0.target) }
        func width(_ column: (((String, String, String)) -> String)) -> Int {
            lines.map { column($0).count }.max() ?? 0
        }
        let widths = (width { $0.0 }, width { $0.1 }, width { $0.2 })
        func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: width - text.count) }
        for (number, line) in lines.enumerated() {
            print("| \(padded(line.0, widths.0)) | \(padded(line.1, widths.1)) | \(padded(line.2, widths.2)) |")
            if number == 0 {
                let dashes = [widths.0, widths.1, widths.2].map { String(repeating: "-", count: $0) }
                print("| " + dashes.joined(separator: " | ") + " |")
            }
        }
    }
}
