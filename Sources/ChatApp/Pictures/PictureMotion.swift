internal import Foundation
internal import GTKBinding
internal import Media

/// Plays an animated picture while it is on the screen and animations are enabled; otherwise nothing runs.
///
/// It stops by itself when it is not visible. Code that scrolls or shows it again calls ``wake()``.
final class PictureMotion {
    /// The number of pictures that could be animated. A timeline without one has nothing to wake.
    private(set) static var liveCount = 0
    /// The number of pictures that are playing.
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
        /// Not animated, or at the end of the animation.
        case still
    }

    /// Media types that can be animated.
    static func mayMove(_ mediaType: String?) -> Bool { mediaType == "image/gif" || mediaType == "image/webp" }

    /// - Parameters:
    ///   - widget: the widget that shows the picture.
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

    /// Starts playing if the widget is visible.
    func wake() {
        guard running == nil, mayRun else { return }
        Self.runningCount += 1
        running = Task { [weak self] in
            while !Task.isCancelled, let pause = await self?.step() { try? await Task.sleep(for: pause) }
            if !Task.isCancelled { self?.end() }
        }
    }

    /// Stops until ``wake()`` is called.
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

    /// Shows the current frame. Returns how long to show it, or `nil` at the end.
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

/// Decodes pictures: PNG, JPEG and TIFF with GTK, other formats with the Media module. Nothing runs on the main thread.
nonisolated enum PictureDecoder {
    /// The content of a picture file.
    struct Content: Sendable {
        let bytes: [UInt8]
        /// The width of the original in pixels.
        let width: Int
        let height: Int
        /// `false` for a scaled copy.
        let isWhole: Bool
    }

    /// Reads a file; `nil` if it is not a picture.
    ///
    /// - Parameter side: larger pictures are scaled down to this longest side; `nil` returns the original.
    @concurrent
    static func content(of path: String, side: Int? = nil) async -> Content? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let bytes = [UInt8](data)
        guard let file = try? PictureFile.inspect(bytes) else { return nil }
        if let side, max(file.width, file.height) > side,
            let small = try? await Media.Picture.thumbnail(of: bytes, max: side)
        {
            return Content(bytes: small.bytes, width: file.width, height: file.height, isWhole: false)
        }
        let readable = await readable(bytes)
        return readable.map { Content(bytes: $0, width: file.width, height: file.height, isWhole: true) }
    }

    @concurrent
    private static func readable(_ bytes: [UInt8]) async -> [UInt8]? {
        guard let file = try? PictureFile.inspect(bytes) else { return nil }
        let isUpright = file.orientation == .upright
        if isUpright, file.type == .png || file.type == .jpeg { return bytes }
        return try? await Media.Picture.png(of: bytes).bytes
    }

    /// The decoded picture within ``PictureLimits``; `nil` if it is not a picture.
    @MainActor
    static func texture(_ bytes: [UInt8]) async -> Texture? {
        await Texture.decoded(readable(bytes))
    }
}
