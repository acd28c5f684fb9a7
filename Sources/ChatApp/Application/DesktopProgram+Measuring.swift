internal import ChatModel
internal import Foundation
internal import GTKBinding

/// What `Scripts/benchmark desktop` observes and controls.
extension DesktopProgram {
    /// Whether the conversation list has laid out rows.
    package var isListShown: Bool {
        var isShown = false
        window?.conversations.list.forEachRow { if $1.root.height > 0 { isShown = true } }
        return isShown
    }

    /// Whether the open conversation is scrolled to where reading starts, with laid out rows.
    package var isTimelineShown: Bool {
        guard let timeline = window?.conversation?.timeline, timeline.position.isOpened, !timeline.position.isSettling
        else {
            return false
        }
        var isShown = false
        timeline.list.forEachRow { if $1.root.height > 0 { isShown = true } }
        return isShown
    }

    package var conversationCount: Int { window?.conversations.model.count ?? 0 }

    /// Opens the conversation at an index of the list.
    package func openConversation(at index: Int) {
        guard let window, index < window.conversations.model.count else { return }
        window.open(window.conversations.model[index].key)
    }

    /// Scrolls up by `pixels` before each of `frames` frames, then calls `ended`.
    package func scrollTimeline(by pixels: Double, frames: Int, _ ended: @escaping () -> Void) {
        guard let timeline = window?.conversation?.timeline else { return ended() }
        var left = frames
        timeline.root.onFrame { [weak timeline] in
            guard let timeline, left > 0 else {
                ended()
                return false
            }
            left -= 1
            timeline.scroller.offset -= pixels
            return true
        }
    }

    /// Calls `body` after each frame of the window with the time its work took: wall clock time and processor time.
    package func onFrameWork(_ body: @escaping (_ wall: Duration, _ processor: Duration) -> Void) {
        window?.window.onFrameWork { body($0.wall, $0.processor) }
    }
}

/// Writes the longest iteration of the main loop to the file that `HONGYAN_MAIN_LOOP_REPORT` names, when the program
/// ends: for tests of the window's responsiveness.
///
///     {"iterations":4711,"processorMilliseconds":12.5,"wallMilliseconds":13.1}
struct MainLoopReport {
    static let variable = "HONGYAN_MAIN_LOOP_REPORT"

    private struct Figures: Encodable {
        let processorMilliseconds: Double
        let wallMilliseconds: Double
        let iterations: Int
    }

    private let path: String
    private let watchdog = MainLoopWatchdog()

    /// `nil` when the environment does not ask for a report.
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
            iterations: watchdog.count)
        // If writing fails, the test that asked for the file reports it missing.
        try? encoder.encode(figures).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
