internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Media

/// A voice message in a bubble: play button, waveform with position, duration, speed, and a dot until it was played.
final class VoiceView: AttachmentView {
    let root: Widget
    private let context: AttachmentContext
    let button = Button(icon: "media-playback-start-symbolic").css("circular", "play")
    private let wave: Waveform
    let length = Label().css("caption", "numeric")
    private let rate = Button("1×").css("rate", "flat").hidden()
    private let dot = Label("●").css("caption").hidden()
    private var reading: Task<Void, Never>?
    /// The result of decoding: the duration, or that it cannot be played.
    private var decoded: Decoded?

    /// The beginning of the file names of recordings.
    private static let recordingName = "voice"

    private enum Decoded {
        case length(Duration)
        case nothing
    }

    init(_ context: AttachmentContext) {
        self.context = context
        wave = Waveform()
        let lower = Box.horizontal(spacing: 6, length, dot, rate)
        let column = Box.vertical(spacing: 2, wave.widget, lower).expand(.horizontal)
        // A sound file is shown like a recording, with its name.
        if let name = context.attachment.name, !name.hasPrefix(Self.recordingName) {
            let title = Label(name).ellipsize(inMiddle: true).textAlignment(0).characters(maximum: 28).css("sound-name")
            column.insert(title, after: nil)
        }
        root = Box.horizontal(spacing: 10, button.align(vertical: .center).focusOnClick(false), column)
        root.minimumSize(width: 200)
        dot.named(localized("Not played yet"))
        rate.named(localized("Speed")).focusOnClick(false)
        button.onClick { [weak self] in self?.activate() }
        rate.onClick { [weak self] in
            guard let playback = self?.context.playback else { return }
            Task { await playback.changeRate() }
        }
        wave.onSeek = { [weak self] in self?.seek($0) }
        observe(self) { view in view.showState() }
        if let download = context.download {
            Task {
                await download.look()
                download.startAutomatically()
            }
        }
    }

    isolated deinit { reading?.cancel() }

    func clear() { reading?.cancel() }

    private var path: String? {
        if case .here(let path)? = context.download?.phase { path } else { nil }
    }

    private var isCurrent: Bool { context.playback.current?.message == context.message.id }

    /// The duration from the player, the decoder or the message; zero if unknown.
    private var total: Duration {
        if isCurrent, context.playback.duration > .zero { return context.playback.duration }
        if let stated = context.attachment.duration, stated > 0 { return .milliseconds(stated) }
        if case .length(let length)? = decoded { return length }
        return .zero
    }

    func activate() {
        guard let path else {
            guard let download = context.download else { return context.explainAbsence() }
            if download.isRunning { download.cancel() } else { download.start() }
            return
        }
        let playback = context.playback
        let track = VoicePlayback.Track(message: context.message.id, path: path)
        let isPlaying = isCurrent && playback.isPlaying
        Task { if isPlaying { await playback.pause() } else { await playback.play(track) } }
    }

    /// - Parameter fraction: of the duration, 0 to 1.
    private func seek(_ fraction: Double) {
        guard let path else { return }
        let playback = context.playback
        let track = VoicePlayback.Track(message: context.message.id, path: path)
        let (isCurrent, total) = (isCurrent, total)
        Task {
            if !isCurrent { await playback.play(track) }
            await playback.seek(to: total * fraction)
        }
    }

    private func showState() {
        let playback = context.playback
        let isPlaying = isCurrent && playback.isPlaying
        let position = playback.position(of: context.message.id)
        let total = total
        button.show(icon: isPlaying ? "media-playback-pause-symbolic" : "media-playback-start-symbolic")
        button.named(isPlaying ? localized("Pause") : localized("Play voice message"))
        wave.show(progress: total > .zero ? min(1, position / total) : 0)
        if case .nothing? = decoded { button.isSensitive = false } else { button.isSensitive = true }
        rate.isVisible = isCurrent
        // Changing the label replaces the accessible name, so it is set again.
        rate.show(label: Self.text(playback.rate))
        rate.accessible(label: "\(localized("Speed")) \(Self.text(playback.rate))")
        dot.isVisible = !context.message.isOutgoing && context.attachment.playback == nil && !isCurrent
        length.text = text(position, of: total)
        switch context.download?.phase {
        case .here(let path)?: read(path)
        case .waiting?, .fetching?:
            button.show(icon: "process-stop-symbolic")
            button.named(localized("Cancel"))
        case .failed?:
            button.show(icon: "view-refresh-symbolic")
            button.named(localized("Try again"))
        case .unknown?, .absent?, .gone?, nil: break
        }
    }

    /// The text under the waveform: the duration, and the progress of download or playback.
    private func text(_ position: Duration, of total: Duration) -> String {
        if let uploaded = context.download?.uploaded { return "\(Int(uploaded * 100)) %" }
        var parts: [String] = []
        if position > .zero {
            parts.append("\(Wording.length(position)) / \(Wording.length(total))")
        } else if total > .zero {
            parts.append(Wording.length(total))
        }
        switch context.download?.phase {
        case .waiting?: parts.append(localized("Downloading…"))
        case .fetching(let fraction)?:
            let percent = fraction.map { Int(($0 * 100).rounded()) } ?? 0
            parts.append(percent > 0 ? localized("Downloading: %@ %", percent) : localized("Downloading…"))
        case .failed?: parts.append(localized("Download failed"))
        case .here?: if case .nothing? = decoded { parts.append(localized("Cannot be played")) }
        case .unknown?, .absent?, .gone?, nil:
            if total == .zero { parts += [context.attachment.size.map { Wording.size($0) }].compactMap(\.self) }
        }
        return parts.joined(separator: " · ")
    }

    private static func text(_ rate: VoicePlayer.Rate) -> String {
        switch rate {
        case .normal: "1×"
        case .faster: "1.5×"
        case .double: "2×"
        }
    }

    /// Decodes the file off the main actor to get the waveform.
    private func read(_ path: String) {
        guard reading == nil else { return }
        reading = Task { [weak self] in
            let file = try? await AudioFile.inspect(path: path)
            guard let self, !Task.isCancelled else { return }
            self.decoded = file.map { .length($0.duration) } ?? .nothing
            if let file { self.wave.show(peaks: file.peaks) }
            self.showState()
        }
    }
}

/// The waveform of a voice message as bars. Bars before the position are filled, and a click or drag seeks.
final class Waveform {
    let widget: Widget
    var onSeek: (Double) -> Void = { _ in }
    private let area: DrawingArea
    private let drawn = Drawn()

    private final class Drawn {
        var peaks: [Float] = []
        var progress = 0.0
        var start = 0.0
    }

    init() {
        let drawn = drawn
        area = DrawingArea { drawing, width, height in Self.draw(drawn, drawing, width, height) }
        area.content(width: 180, height: 30).expand(.horizontal)
        area.accessible(label: localized("Position in the voice message")).cursor("pointer")
        widget = area
        area.onDrag(
            began: { [weak self] x, _ in
                self?.drawn.start = x
                self?.seek(x)
            },
            ended: { [weak self] x, _ in
                // A click without movement was handled by the press.
                if let self, abs(x) > 3 { self.seek(self.drawn.start + x) }
            })
    }

    private func seek(_ x: Double) {
        let width = Double(area.width)
        if width > 0 { onSeek(min(max(x / width, 0), 1)) }
    }

    func show(peaks: [Float]) {
        drawn.peaks = peaks
        area.queueDraw()
    }

    func show(progress: Double) {
        guard abs(progress - drawn.progress) > 0.001 else { return }
        drawn.progress = progress
        area.queueDraw()
    }

    private static func draw(_ drawn: Drawn, _ drawing: Drawing, _ width: Double, _ height: Double) {
        let step = 4.5
        let count = max(1, Int(width / step))
        for index in 0..<count {
            let fraction = (Double(index) + 0.5) / Double(count)
            // A row of dots until the waveform is known.
            let peak: Double =
                if drawn.peaks.isEmpty {
                    0
                } else {
                    Double(drawn.peaks[min(drawn.peaks.count - 1, Int(fraction * Double(drawn.peaks.count)))])
                }
            let half = max(0.5, min(1, peak) * (height / 2 - 2))
            let x = (Double(index) + 0.5) * step
            drawing.useTextColor(opacity: fraction <= drawn.progress ? 1 : 0.62)
            drawing.line(fromX: x, y: height / 2 - half, toX: x, y: height / 2 + half, width: 2.6)
        }
    }
}
