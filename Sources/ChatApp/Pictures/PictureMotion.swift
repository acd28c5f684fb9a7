internal import Foundation
internal import GTKBinding
internal import Media

/// Lets a picture move as long as it is on the screen and the person wants things to move; nothing runs otherwise.
///
/// It stops by itself when it is not seen; whoever scrolls or shows it again calls ``wake()``.
final class PictureMotion {
    /// Pictures that could move, so that a timeline without one has nothing to ask.
    private(set) static var liveCount = 0
    /// Pictures that move now.
    private(set) static var runningCount = 0

    private let path: String
    private let side: Int
    private let widget: Widget
    private let show: (Texture) -> Void
    private var running: Task<Void, Never>?
    private var state = State.unopened

    private enum State {
        case unopened
        case open(PictureAnimation)
        /// It does not move, or has come to its end.
        case still
    }

    /// Types of which a file can move.
    static func mayMove(_ mediaType: String?) -> Bool { mediaType == "image/gif" || mediaType == "image/webp" }

    /// - Parameters:
    ///   - widget: in which it is shown.
    ///   - show: paints a frame.
    init(_ path: String, side: Int, in widget: Widget, show: @escaping (Texture) -> Void) {
        self.path = path
        self.side = side
        self.widget = widget
        self.show = show
        Self.liveCount += 1
    }

    isolated deinit {
        Self.liveCount -= 1
        end()
    }

    var isRunning: Bool { running != nil }

    /// Moves from now on if it is to be seen.
    func wake() {
        guard running == nil, mayRun else { return }
        Self.runningCount += 1
        running = Task { [weak self] in
            while !Task.isCancelled, let pause = await self?.step() { try? await Task.sleep(for: pause) }
            if !Task.isCancelled { self?.end() }
        }
    }

    /// Stands still until it is woken again.
    func end() {
        guard let running else { return }
        running.cancel()
        self.running = nil
        Self.runningCount -= 1
    }

    private var mayRun: Bool {
        if case .still = state { return false }
        return ToolkitSettings.hasAnimations && widget.isOnScreen
    }

    /// Shows the picture of this moment; how long it is to be seen, or `nil` where nothing moves any more.
    private func step() async -> Duration? {
        guard mayRun else { return nil }
        if case .unopened = state {
            if let animation = await Self.open(path, side: side) { state = .open(animation) } else { state = .still }
        }
        guard case .open(let animation) = state, let frame = try? await animation.frame(), !Task.isCancelled else {
            return nil
        }
        if let texture = Texture(
            pixels: frame.pixels, width: frame.width, height: frame.height, stride: frame.width * 4)
        {
            show(texture)
        }
        if frame.duration == nil { state = .still }
        return frame.duration
    }

    @concurrent
    private nonisolated static func open(_ path: String, side: Int) async -> PictureAnimation? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return (try? await PictureAnimation.open([UInt8](data), side: side)).flatMap(\.self)
    }
}
