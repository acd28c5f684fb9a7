internal import ChatModel
internal import Foundation
internal import GTKBinding

/// What `Scripts/benchmark desktop` sees of the program, and does in it as a person would.
extension DesktopProgram {
    /// The list of conversations has rows that are laid out.
    package var isListShown: Bool {
        var isShown = false
        window?.conversations.list.forEachRow { if $1.root.height > 0 { isShown = true } }
        return isShown
    }

    /// The open conversation is where it is to be read, and its rows are laid out.
    package var isTimelineShown: Bool {
        guard let timeline = window?.conversation?.timeline, timeline.isOpened, !timeline.isSettling else {
            return false
        }
        var isShown = false
        timeline.list.forEachRow { if $1.root.height > 0 { isShown = true } }
        return isShown
    }

    package var conversationCount: Int { window?.conversations.model.count ?? 0 }

    /// Opens the conversation that stands so far from the top of the list.
    package func openConversation(at index: Int) {
        guard let window, index < window.conversations.model.count else { return }
        window.open(window.conversations.model[index].key)
    }

    /// Scrolls up by so many pixels before each of so many frames, and then calls `ended`.
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

    /// Calls `body` after each frame of the window with what its work took: the time one waits, and the processor's.
    package func onFrameWork(_ body: @escaping (_ wall: Duration, _ processor: Duration) -> Void) {
        window?.window.onFrameWork { body($0.wall, $0.processor) }
    }
}

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
