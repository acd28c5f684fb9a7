internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Media

/// Records a voice message: hold the button and let go to send, slide up to lock, slide away to cancel; or click it to record
/// with free hands, then listen, send or throw away.
///
/// ``button`` stands beside the field for text; ``panel`` takes the place of the field while something is recorded.
final class VoiceRecorderView {
    let button: Widget
    let panel: Widget
    let composer: VoiceComposer
    /// The field for text is shown again.
    var onText: () -> Void = {}

    private let press = Button(icon: "audio-input-microphone-symbolic").css("circular").focusOnClick(false)
    private let send = SendMark.button()
    private let dot = Icon("media-record-symbolic", size: 14).css("error")
    private let time = Label("0:00").css("numeric")
    private let hint = Label().css("dim-label", "caption").ellipsize().textAlignment(0)
    private let levels: LevelMeter
    private let waveform = Waveform()
    private let play = Button(icon: "media-playback-start-symbolic").css("flat", "circular").focusOnClick(false)
    private let stop = Button(icon: "media-playback-stop-symbolic").css("flat", "circular").focusOnClick(false)
    private let discard = Button(icon: "user-trash-symbolic").css("flat", "circular").focusOnClick(false)
    private let middle = Stack()
    private let playback: VoicePlayback
    private let place: WritingPlace
    private var isHeld = false
    /// A pointer is on the button, so a click that follows is not one of the keyboard.
    private var isPointer = false
    private var hasSlid = false
    private var wasBusy = false

    /// A press that is shorter is a click.
    private static let holding = Duration.milliseconds(350)
    /// Pixels that the pointer slides to lock, and to cancel.
    private static let (lockingWay, cancellingWay) = (60.0, 90.0)

    init(folder: String, place: WritingPlace, media: MediaCache) {
        self.place = place
        let writing = place.composer
        composer =
            place.voice
            ?? VoiceComposer(
                folder: folder,
                deliver: { message in try await writing.send(files: [message.attachment(in: media)]) })
        playback = VoicePlayback()
        levels = LevelMeter(composer)
        middle.add(levels.widget, name: "levels")
        middle.add(waveform.widget, name: "waveform")
        for widget in [discard, play, stop, dot, time, press, send] { widget.align(vertical: .center) }
        let line = Box.horizontal(spacing: 6, discard, dot, play, time, middle.expand(.horizontal), stop)
        panel = Box.vertical(line.css("entry-box", "recording"), hint.margins(horizontal: 12, vertical: 0))
        // The pointer stays on the place around the button, whatever the button does.
        button = Box.horizontal(press, send).margins(bottom: 3)
        press.named(localized("Record a voice message"))
        press.accessible(description: localized("Hold it and let go to send; a click records until you stop."))
        send.named(localized("Send the voice message"))
        stop.named(localized("Stop and listen"))
        discard.named(localized("Throw the recording away"))
        play.named(localized("Listen"))
        connect()
        observe(self) { view in view.show() }
    }

    /// Something is recorded or listened to.
    var isBusy: Bool { composer.phase != .idle }

    private func connect() {
        button.onHold(
            began: { [weak self] in self?.pressed() }, moved: { [weak self] x, y in self?.slid(x, y) },
            ended: { [weak self] in self?.letGo(after: $0) })
        press.onClick { [weak self] in self?.clicked() }
        send.onClick { [weak self] in self?.doing { await $0.send() } }
        stop.onClick { [weak self] in self?.doing { await $0.stop() } }
        discard.onClick { [weak self] in self?.doing { await $0.cancel() } }
        play.onClick { [weak self] in self?.listen() }
        waveform.onSeek = { [weak self] share in self?.seek(share) }
        panel.onKey { [weak self] press in
            guard press.key == .escape else { return false }
            self?.doing { await $0.cancel() }
            return true
        }
    }

    private func doing(_ body: @escaping (VoiceComposer) async -> Void) {
        Task { [composer, playback] in
            await playback.stop()
            await body(composer)
        }
    }

    // MARK: The button

    private func pressed() {
        guard composer.phase == .idle else { return }
        isPointer = true
        hasSlid = false
        isHeld = true
        doing { await $0.press() }
    }

    private func slid(_ x: Double, _ y: Double) {
        guard isHeld, !hasSlid else { return }
        // Where people read from right to left the way back is the other one; both cancel.
        if abs(x) > Self.cancellingWay {
            hasSlid = true
            doing { await $0.cancel() }
        } else if y < -Self.lockingWay {
            hasSlid = true
            doing { await $0.lock() }
        }
    }

    private func letGo(after held: Duration) {
        guard isHeld else { return }
        isHeld = false
        guard !hasSlid else { return }
        if held < Self.holding {
            doing { await $0.lock() }
        } else {
            doing { await $0.release() }
        }
    }

    /// By the keyboard or a screen reader; the click of a pointer was noticed already.
    private func clicked() {
        if isPointer {
            isPointer = false
            return
        }
        guard composer.phase == .idle else { return }
        doing {
            await $0.press()
            await $0.lock()
        }
    }

    // MARK: Listening

    private func listen() {
        guard let path = composer.path, composer.phase == .reviewing else { return }
        let track = VoicePlayback.Track(message: MessageID(rawValue: 0), path: path)
        let playback = playback
        Task { if playback.isPlaying { await playback.pause() } else { await playback.play(track) } }
    }

    private func seek(_ share: Double) {
        let playback = playback
        Task { await playback.seek(to: playback.duration * share) }
    }

    // MARK: Showing

    private func show() {
        let phase = composer.phase
        let isReviewing = phase == .reviewing
        var isLocked = false
        if case .recording(let locked) = phase { isLocked = locked }
        press.isVisible = !isLocked && !isReviewing
        press.css("suggested-action", phase != .idle)
        send.isVisible = isLocked || isReviewing
        discard.isVisible = isLocked || isReviewing
        stop.isVisible = isLocked
        play.isVisible = isReviewing
        dot.isVisible = !isReviewing
        middle.shown = isReviewing ? "waveform" : "levels"
        let isPlaying = playback.isPlaying
        play.show(icon: isPlaying ? "media-playback-pause-symbolic" : "media-playback-start-symbolic")
        play.named(isPlaying ? localized("Pause") : localized("Listen"))
        let hasBegun = isReviewing && playback.current != nil
        time.text = Wording.length(hasBegun ? playback.position : composer.duration)
        if isReviewing {
            waveform.show(peaks: composer.message?.peaks ?? [])
            let length = composer.duration / .milliseconds(1)
            waveform.show(progress: hasBegun && length > 0 ? playback.position / .milliseconds(1) / length : 0)
        }
        hint.text = words(phase)
        hint.isVisible = !hint.text.isEmpty
        levels.redraw()
        // A microphone that is not there fails before anything else could be seen.
        if let problem = composer.takeProblem() { place.say(Wording.failure(problem)) }
        tellIdle(phase)
    }

    private func words(_ phase: VoiceComposer.Phase) -> String {
        switch phase {
        case .idle: ""
        case .opening: localized("Opening the microphone…")
        case .recording(isLocked: false): localized("Let go to send · up to lock · aside to cancel")
        case .recording(isLocked: true): localized("Recording")
        case .finishing: localized("One moment…")
        case .reviewing: localized("Listen, send, or throw it away")
        }
    }

    private func tellIdle(_ phase: VoiceComposer.Phase) {
        let isBusy = phase != .idle
        defer { wasBusy = isBusy }
        guard wasBusy, !isBusy else { return }
        if composer.wasTooShort { place.say(localized("Hold the button as long as you speak, or click it.")) }
        onText()
        offerInterrupted()
    }

    /// Offers a recording that was interrupted, by a crash or an empty battery.
    func offerInterrupted() {
        Task { [composer] in await composer.offerInterrupted() }
    }

    func close() async {
        await playback.stop()
        await composer.close()
    }
}
