internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Media

/// A video in a bubble: a still picture, and after a click the video itself in its place.
///
/// It reserves its place at once. A video is downloaded only when the user asks for it.
final class VideoView: AttachmentView {
    let root: Widget
    private let context: AttachmentContext
    private let picture = PictureWidget().covers()
    private let progress = ProgressRing()
    private let shade: Button
    let play = Button(icon: "media-playback-start-symbolic").css("circular", "video-play")
    private let enlarge = Button(icon: "view-fullscreen-symbolic").css("circular", "video-open").focusOnClick(false)
    private let length = Label().css("on-picture", "caption", "numeric")
    private let problem = Label().wrap().centered().css("on-picture")
    private var work: Task<Void, Never>?
    private var facts: VideoFile?
    private var player: VideoPlayer?
    private(set) var isPlaying = false
    /// The number of pictures drawn while it played.
    private(set) var frameCount = 0
    /// The one that plays; there is at most one.
    private static weak var current: VideoView?

    /// The longest side of what is decoded: twice that of a bubble, for screens with a scale factor of 2.
    private static let decodedSide = 640

    /// - Parameter tile: the size of one of several, which is cut to fill it; `nil` for the whole video.
    init(_ context: AttachmentContext, tile: (width: Int, height: Int)? = nil) {
        self.context = context
        let whole = PictureView.size(context.attachment)
        let size = tile ?? (max(160, Int(whole.width)), max(120, Int(whole.height)))
        shade = Button(progress.widget).css("flat", "circular").align(horizontal: .center, vertical: .center)
        picture.css("photo", "video").clipped()
        let overlay = Overlay(
            picture, play.align(horizontal: .center, vertical: .center), shade,
            problem.align(horizontal: .center, vertical: .center).hidden(),
            length.align(horizontal: .start, vertical: .end), enlarge.align(horizontal: .end, vertical: .start))
        root = ProportionalBin(
            overlay, width: size.width, height: size.height, minimumWidth: tile == nil ? 120 : 40
        ).align(horizontal: .center)
        let name = localized("Video: %@", context.attachment.name ?? localized("without a name"))
        root.accessible(label: name)
        picture.show(alternative: name)
        enlarge.named(localized("Open with another program"))
        play.focusOnClick(false).named(localized("Play the video"))
        play.onClick { [weak self] in self?.toggle() }
        picture.onClick { [weak self] _, _, _ in self?.toggle() }
        shade.onClick { [weak self] in self?.download() }
        enlarge.onClick { [weak self] in
            if let self { self.context.open(self.context.message, self.context.index) }
        }
        if let thumbnail = context.attachment.thumbnail {
            Task { [weak self] in
                let placeholder = await Texture.decoded(thumbnail)
                if let self, self.facts == nil { self.picture.show(placeholder) }
            }
        }
        observe(self) { view in view.showPhase() }
        if let download = context.download { Task { await download.look() } }
    }

    isolated deinit { work?.cancel() }

    func clear() {
        stop()
        work?.cancel()
    }

    private var path: String? {
        if case .here(let path)? = context.download?.phase { path } else { nil }
    }

    private func download() {
        guard let download = context.download else { return context.explainAbsence() }
        if download.isRunning { download.cancel() } else { download.start() }
    }

    // MARK: Showing

    private func showPhase() {
        showLength()
        var state: ProgressRing.State?
        if let uploaded = context.download?.uploaded {
            state = .running(uploaded)
        } else {
            switch context.download?.phase {
            case .here(let path)?: inspect(path)
            case .waiting?: state = .running(0)
            case .fetching(let fraction)?: state = .running(fraction ?? 0)
            case .absent?: state = .offer
            case .failed?: state = .failed
            case .gone?, .unknown?, nil: break
            }
        }
        shade.isVisible = state != nil
        enlarge.isVisible = path != nil
        play.isVisible = state == nil && path != nil && !isPlaying && !problem.isVisible
        guard let state else { return }
        progress.show(state)
        switch state {
        case .offer: shade.named(localized("Download the video"))
        case .running: shade.named(localized("Cancel"))
        case .failed: shade.named(localized("Try again"))
        }
    }

    private func showLength() {
        var parts: [String] = []
        let total = facts?.duration ?? context.attachment.duration.map { .milliseconds($0) } ?? .zero
        if let player, isPlaying || player.position > .zero {
            parts.append("\(Wording.length(player.position)) / \(Wording.length(total))")
        } else if total > .zero {
            parts.append(Wording.length(total))
        }
        if path == nil, let size = context.attachment.size { parts.append(Wording.size(size)) }
        length.text = parts.joined(separator: " · ")
        length.isVisible = !parts.isEmpty
    }

    /// Finds the still picture, away from the main thread.
    private func inspect(_ path: String) {
        guard facts == nil, work == nil else { return }
        work = Task { [weak self] in
            let found = try? await VideoFile.inspect(path: path)
            let still = await Texture.decoded(found?.still.bytes)
            guard let self, !Task.isCancelled else { return }
            self.facts = found
            if let still { self.picture.show(still) }
            self.problem.isVisible = found == nil
            self.problem.text = localized("This video cannot be played here")
            self.showPhase()
        }
    }

    // MARK: Playing

    /// Plays, pauses or continues; downloads it before.
    func activate() { if path == nil { download() } else { toggle() } }

    func toggle() {
        guard let path, let facts else { return }
        if let player {
            isPlaying.toggle()
            let isPlaying = isPlaying
            Task { if isPlaying { try? await player.play() } else { try? await player.pause() } }
        } else {
            start(path, facts)
        }
        showState()
    }

    private func start(_ path: String, _ facts: VideoFile) {
        Self.current?.stop()
        Self.current = self
        isPlaying = true
        let playback = context.playback
        work = Task { [weak self] in
            await playback.pause()
            guard let player = try? await VideoPlayer(path: path, file: facts, side: Self.decodedSide) else {
                self?.stop()
                return
            }
            guard let self, !Task.isCancelled else { return await player.stop() }
            self.player = player
            let frames = player.frames()
            try? await player.play()
            for await frame in frames {
                self.show(frame)
            }
            await player.stop()
            if !Task.isCancelled, self.player === player { self.ended() }
        }
    }

    private func show(_ frame: VideoFrame) {
        frameCount += 1
        picture.show(
            Texture(pixels: frame.pixels, width: frame.width, height: frame.height, stride: frame.width * 4))
        showLength()
    }

    private func ended() {
        player = nil
        isPlaying = false
        let still = facts?.still.bytes
        Task { [weak self] in
            let texture = await Texture.decoded(still)
            if let self, self.player == nil { self.picture.show(texture) }
        }
        showState()
    }

    private func stop() {
        guard player != nil || isPlaying else { return }
        work?.cancel()
        let player = player
        Task { await player?.stop() }
        ended()
    }

    private func showState() {
        play.isVisible = !isPlaying
        showLength()
    }
}
