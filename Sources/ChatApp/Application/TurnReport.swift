internal import Foundation
internal import GTKBinding

/// Writes how long the longest turn of the main loop was to the file that `HONGYAN_LONGEST_TURN` names, when the program ends: for tests
/// that look whether the window answered all the time.
///
///     {"processorMilliseconds":12.5,"turns":4711,"wallMilliseconds":13.1}
struct TurnReport {
    static let variable = "HONGYAN_LONGEST_TURN"

    private struct Figures: Encodable {
        let processorMilliseconds: Double
        let wallMilliseconds: Double
        let turns: Int
    }

    private let path: String
    private let watchdog = MainLoopWatchdog()

    /// `nil` where nobody wants to know.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let path = environment[Self.variable], !path.isEmpty else { return nil }
        self.path = path
    }

    func write() {
        let (longest, encoder) = (watchdog.longest, JSONEncoder())
        encoder.outputFormatting = .sortedKeys
        let figures = Figures(
            processorMilliseconds: longest.processor / .milliseconds(1),
            wallMilliseconds: longest.wall / .milliseconds(1),
            turns: watchdog.count)
        // Where it cannot be written the test that asked for it misses it.
        try? encoder.encode(figures).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
