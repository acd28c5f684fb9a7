internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Media

/// A voice message in a bubble: play and pause, its shape with the place that is played, length, speed, a dot until it was heard.
final class VoiceView: AttachmentView {
    let root: Widget
    private let place: AttachmentPlace
    let button = Button(icon: "media-playback-start-symbolic").css("circular", "play")
    private let wave: Waveform
    let length = Label().css("caption", "numeric")
    private let rate = Button("1×").css("rate", "flat").hidden()
    private let dot = Label("●").css("caption").hidden()
    private var reading: Task<Void, Never>?
    /// What decoding has told: its length, or that it cannot be played.
    private var decoded: Decoded?

    private enum Decoded {
        case length(Duration)
        case nothing
    }

    init(_ place: AttachmentPlace) {
        self.place = place
        wave = Waveform()
        let lower = Box.horizontal(spacing: 6, length, dot, rate)
        let column = Box.vertical(spacing: 2, wave.widget, lower).expand(.horizontal)
        root = Box.horizontal(spacing: 10, button.align(vertical: .center).focusOnClick(false), column)
        root.minimumSize(width: 200)
        dot.named(localized("Not played yet"))
        rate.named(localized("Speed")).focusOnClick(false)
        button.onClick { [weak self] in self?.toggle() }
        rate.onClick { [weak self] in
            guard let playback = self?.place.playback else { return }
            Task { await playback.changeRate() }
        }
        wave.onSeek = { [weak self] in self?.seek($0) }
        observe(self) { view in view.showState() }
        if let download = place.download {
            Task {
                await download.look()
                download.startIfSmall()
            }
        }
    }

    isolated deinit { reading?.cancel() }

    func clear() { reading?.cancel() }

    private var path: String? {
        if case .here(let path)? = place.download?.phase { path } else { nil }
    }

    private var isCurrent: Bool { place.playback.current?.message == place.message.id }

    /// How long it lasts, by whoever knows; zero if nobody does.
    private var total: Duration {
        if isCurrent, place.playback.duration > .zero { return place.playback.duration }
        if let said = place.attachment.duration, said > 0 { return .milliseconds(said) }
        if case .length(let length)? = decoded { return length }
        return .zero
    }

    private func toggle() {
        guard let path else {
            if place.download?.isRunning == true { place.download?.cancel() } else { place.download?.start() }
            return
        }
        let playback = place.playback
        let track = VoicePlayback.Track(message: place.message.id, path: path)
        let isPlaying = isCurrent && playback.isPlaying
        Task { if isPlaying { await playback.pause() } else { await playback.play(track) } }
    }

    /// - Parameter fraction: of the length, 0 to 1.
    private func seek(_ fraction: Double) {
        guard let path else { return }
        let playback = place.playback
        let track = VoicePlayback.Track(message: place.message.id, path: path)
        let (isCurrent, total) = (isCurrent, total)
        Task {
            if !isCurrent { await playback.play(track) }
            await playback.seek(to: total * fraction)
        }
    }

    private func showState() {
        let playback = place.playback
        let isPlaying = isCurrent && playback.isPlaying
        let position = playback.place(of: place.message.id)
        let total = total
        button.show(icon: isPlaying ? "media-playback-pause-symbolic" : "media-playback-start-symbolic")
        button.named(isPlaying ? localized("Pause") : localized("Play voice message"))
        wave.show(progress: total > .zero ? min(1, position / total) : 0)
        if case .nothing? = decoded { button.isSensitive = false } else { button.isSensitive = true }
        rate.isVisible = isCurrent
        // A new label takes the place of the name for screen readers.
        rate.show(label: Self.words(playback.rate))
        rate.accessible(label: "\(localized("Speed")) \(Self.words(playback.rate))")
        dot.isVisible = !place.message.isOutgoing && place.attachment.playback == nil && !isCurrent
        length.text = words(position, of: total)
        switch place.download?.phase {
        case .here(let path)?: read(path)
        case .waiting?, .fetching?:
            button.show(icon: "process-stop-symbolic")
            button.named(localized("Cancel"))
        case .failed?:
            button.show(icon: "view-refresh-symbolic")
            button.named(localized("Try again"))
        case .unknown?, .absent?, nil: break
        }
    }

    /// The line under its shape: its length as soon as anybody knows it, and what is going on with it.
    private func words(_ position: Duration, of total: Duration) -> String {
        if let uploaded = place.download?.uploaded { return "\(Int(uploaded * 100)) %" }
        var parts: [String] = []
        if position > .zero {
            parts.append("\(Wording.length(position)) / \(Wording.length(total))")
        } else if total > .zero {
            parts.append(Wording.length(total))
        }
        switch place.download?.phase {
        case .waiting?: parts.append(localized("Fetching…"))
        case .fetching(let fraction)?:
            let percent = fraction.map { Int(($0 * 100).rounded()) } ?? 0
            parts.append(percent > 0 ? localized("Fetching: %@ %", percent) : localized("Fetching…"))
        case .failed?: parts.append(localized("Could not be fetched"))
        case .here?: if case .nothing? = decoded { parts.append(localized("Cannot be played")) }
        case .unknown?, .absent?, nil:
            if total == .zero { parts += [place.attachment.size.map { Wording.size($0) }].compactMap(\.self) }
        }
        return parts.joined(separator: " · ")
    }

    private static func words(_ rate: VoicePlayer.Rate) -> String {
        switch rate {
        case .normal: "1×"
        case .faster: "1.5×"
        case .double: "2×"
        }
    }

    /// Its shape is found by decoding it, away from the main actor.
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
