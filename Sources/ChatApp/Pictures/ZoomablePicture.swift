internal import GTKBinding

/// A picture in a scrolled area, fitted into it or zoomed. Animated pictures play.
final class ZoomablePicture {
    /// Called when ``size`` or ``zoom`` may have changed.
    var onChange: () -> Void = {}
    /// The size of the original in pixels; `nil` until the picture is decoded.
    private(set) var size: (width: Int, height: Int)?
    /// Screen pixels per picture pixel; `nil` fits the picture into the area.
    private(set) var zoom: Double?

    private let picture = PictureWidget()
    private let scroller: ScrolledWindow
    private var shownContent: Widget
    private var path: String?
    private var placeholder: Task<Void, Never>?
    private var loading: Task<Void, Never>?
    /// The picture, or a scaled copy of a large one.
    private var texture: Texture?
    /// The original of a large picture, after it was needed.
    private var original: (texture: Texture, picture: TiledPicture)?
    private var isOriginalNeeded = false
    private var whenWhole: [() -> Void] = []
    private var motion: PictureMotion?

    /// The factor of one zoom step, and the smallest and the largest zoom.
    private static let step = 1.25
    private static let zooms = 0.1...8.0
    /// The longest side of an animated picture in pixels, about one screen.
    private static let movingSide = 2048
    /// A larger picture is shown as a copy with this longest side, in pixels, until the user zooms in, and then by the
    /// part that is visible: drawing 12 megapixels takes longer than a frame.
    private static let screenSide = 1920

    init() {
        scroller = ScrolledWindow(picture, horizontal: true)
        shownContent = picture
        scroller.onClick { [weak self] count, _, _ in if count == 2 { self?.toggleFit() } }
        scroller.onWheel { [weak self] step, modifiers in
            guard modifiers.contains(.control) else { return false }
            self?.resize(by: step < 0 ? 1 : -1)
            return true
        }
        scroller.onMove { [weak self] in self?.drawVisiblePart() }
    }

    var root: Widget { scroller }

    /// Whether the original is loaded.
    var isWhole: Bool { texture != nil && !isOriginalNeeded }

    // MARK: Loading

    /// Makes room for another picture.
    ///
    /// - Parameter alternative: what a screen reader says.
    func clear(alternative: String) {
        close()
        motion = nil
        texture = nil
        size = nil
        original = nil
        isOriginalNeeded = false
        whenWhole = []
        path = nil
        zoom = nil
        show(content: picture)
        picture.show(nil)
        picture.show(alternative: alternative)
    }

    /// Stops loading and playing.
    func close() {
        placeholder?.cancel()
        loading?.cancel()
        motion?.end()
    }

    /// Shows a small copy until the picture is decoded.
    func showPlaceholder(_ bytes: [UInt8]) {
        placeholder = Task { [weak self] in
            let placeholder = await Texture.decoded(bytes)
            guard !Task.isCancelled, let self, self.texture == nil else { return }
            self.picture.show(placeholder)
        }
    }

    /// Reads and decodes a file off the main thread, once.
    ///
    /// - Parameter done: called with `false` if it is not a picture.
    func load(_ path: String, isAnimated: Bool, _ done: @escaping (_ isPicture: Bool) -> Void) {
        guard path != self.path else { return }
        self.path = path
        loading = Task { [weak self] in
            let content = await PictureDecoder.content(of: path, side: Self.screenSide)
            let texture = await Texture.decoded(content?.bytes)
            guard !Task.isCancelled, let self else { return }
            guard let texture, let content else { return done(false) }
            self.texture = texture
            self.size = content.isWhole ? (texture.width, texture.height) : (content.width, content.height)
            self.isOriginalNeeded = !content.isWhole
            self.picture.show(texture)
            done(true)
            self.fit()
            if isAnimated { self.play(path) }
        }
    }

    /// Calls `done` with the original, which is loaded first if a scaled copy is shown; never when there is no picture.
    func whole(_ done: @escaping (Texture) -> Void) {
        loadWhole { [weak self] in
            if let self, let texture = self.original?.texture ?? self.texture { done(texture) }
        }
    }

    private func loadWhole(_ done: @escaping () -> Void = {}) {
        guard let path, isOriginalNeeded else { return done() }
        whenWhole.append(done)
        guard whenWhole.count == 1 else { return }
        loading = Task { [weak self] in
            let squares = await Texture.decoded(PictureDecoder.content(of: path)?.bytes)?.squares()
            guard !Task.isCancelled, let self, path == self.path else { return }
            if let squares {
                self.original = (squares.whole, TiledPicture(squares))
                self.isOriginalNeeded = false
                if let zoom = self.zoom { self.show(zoom: zoom) }
            }
            let waiting = self.whenWhole
            self.whenWhole = []
            for done in waiting { done() }
        }
    }

    private func play(_ path: String) {
        motion = PictureMotion(path, side: Self.movingSide, in: picture) { [weak self] in self?.picture.show($0) }
        var frames = 0
        picture.onFrame { [weak self] in
            frames += 1
            if frames > 1 { self?.wake() }
            return frames < 2
        }
    }

    /// Called when the picture may have become visible.
    func wake() { motion?.wake() }

    // MARK: Zoom

    private var fitting: Double {
        guard let size, scroller.width > 0, scroller.height > 0 else { return 1 }
        return min(Double(scroller.width) / Double(size.width), Double(scroller.height) / Double(size.height), 1)
    }

    /// Zooms in by one step, or out with a negative number.
    func resize(by direction: Int) {
        show(zoom: (zoom ?? fitting) * (direction < 0 ? 1 / Self.step : Self.step))
    }

    func show(zoom wanted: Double) {
        guard let texture, let size else { return }
        let zoom = min(max(wanted, Self.zooms.lowerBound), Self.zooms.upperBound)
        self.zoom = zoom
        let isCopyEnough = zoom * Double(size.width) <= Double(texture.width)
        if !isCopyEnough, let tiled = original?.picture {
            tiled.align(horizontal: .center, vertical: .center)
            tiled.scale(to: zoom)
            show(content: tiled)
            drawVisiblePart()
        } else {
            picture.align(horizontal: .center, vertical: .center)
            picture.minimumSize(width: Int(Double(size.width) * zoom), height: Int(Double(size.height) * zoom))
            show(content: picture)
            if !isCopyEnough { loadWhole() }
        }
        onChange()
    }

    /// Fits the picture into the area.
    func fit() {
        zoom = nil
        show(content: picture)
        picture.minimumSize(width: -1, height: -1)
        picture.align(horizontal: .fill, vertical: .fill)
        onChange()
    }

    private func toggleFit() { if zoom == nil { show(zoom: 1) } else { fit() } }

    private func show(content: Widget) {
        guard !shownContent.isSame(as: content) else { return }
        shownContent = content
        scroller.show(content)
    }

    private func drawVisiblePart() {
        if let tiled = original?.picture, shownContent.isSame(as: tiled) { tiled.showVisiblePart(of: scroller) }
    }
}
