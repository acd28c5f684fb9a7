internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Media

/// Records a voice message. Hold the button and release it to send, slide up to lock, slide sideways to cancel; or
/// click to record hands-free, then listen, send or discard.
///
/// ``button`` is placed beside the text field; ``panel`` replaces the text field during a recording.
final class VoiceRecorderView {
    let button: Widget
    let panel: Widget
    let composer: VoiceComposer
    /// Called when the text field is shown again.
    var onText: () -> Void = {}

    private let press = Button(icon: "audio-input-microphone-symbolic").css("circular").focusOnClick(false)
    let send = SendButton.button()
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
    private let context: ComposerContext
    private var isHeld = false
    /// A pointer is on the button, so the next click does not come from the keyboard.
    private var isPointer = false
    private var hasSlid = false
    private var wasBusy = false

    /// Shorter presses are clicks.
    private static let holdThreshold = Duration.milliseconds(350)
    /// The distance in pixels to slide for locking and for cancelling.
    private static let (lockDistance, cancelDistance) = (60.0, 90.0)

    init(folder: String, context: ComposerContext, media: MediaCache) {
        self.context = context
        let model = context.composer
        composer =
            context.voice
            ?? VoiceComposer(
                folder: folder,
                deliver: { message in try await model.send(files: [message.attachment(in: media)]) })
        playback = VoicePlayback()
        levels = LevelMeter(composer)
        middle.add(levels.widget, name: "levels")
        middle.add(waveform.widget, name: "waveform")
        for widget in [discard, play, stop, dot, time, press, send] { widget.align(vertical: .center) }
        let line = Box.horizontal(spacing: 6, discard, dot, play, time, middle.expand(.horizontal), stop)
        panel = Box.vertical(line.css("entry-box", "recording"), hint.margins(horizontal: 12, vertical: 0))
        // The pointer events go to the box around the button, which never changes.
        button = Box.horizontal(press, send).margins(bottom: 3)
        press.named(localized("Record a voice message"))
        press.accessible(description: localized("Hold to record and release to send; a click records until you stop."))
        send.named(localized("Send the voice message"))
        stop.named(localized("Stop and listen"))
        discard.named(localized("Discard the recording"))
        play.named(localized("Listen"))
        connect()
        observe(self) { view in view.show() }
    }

    /// A recording is in progress, or is played back.
    var isBusy: Bool { composer.phase != .idle }

    private func connect() {
        button.onHold(
            began: { [weak self] in self?.pressed() }, moved: { [weak self] x, y in self?.slid(x, y) },
            ended: { [weak self] in self?.release(after: $0) })
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

    // MARK: Button

    private func pressed() {
        guard composer.phase == .idle else { return }
        isPointer = true
        hasSlid = false
        isHeld = true
        doing { await $0.press() }
    }

    private func slid(_ x: Double, _ y: Double) {
        guard isHeld, !hasSlid else { return }
        // In right-to-left layouts the slide goes the other way; both directions cancel.
        if abs(x) > Self.cancelDistance {
            hasSlid = true
            doing { await $0.cancel() }
        } else if y < -Self.lockDistance {
            hasSlid = true
            doing { await $0.lock() }
        }
    }

    private func release(after held: Duration) {
        guard isHeld else { return }
        isHeld = false
        // A click of this pointer comes next, or never if the pointer has left the button.
        MainLoop.schedule(.idle) { [weak self] in self?.isPointer = false }
        guard !hasSlid else { return }
        if held < Self.holdThreshold {
            doing { await $0.lock() }
        } else {
            doing { await $0.release() }
        }
    }

    /// A click by keyboard or screen reader; clicks of a pointer were handled by the press.
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

    // MARK: Playback

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

    // MARK: Content

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
        let hasStarted = isReviewing && playback.current != nil
        time.text = Wording.length(hasStarted ? playback.position : composer.duration)
        if isReviewing {
            waveform.show(peaks: composer.message?.peaks ?? [])
            let length = composer.duration / .milliseconds(1)
            waveform.show(progress: hasStarted && length > 0 ? playback.position / .milliseconds(1) / length : 0)
        }
        hint.text = hintText(phase)
        hint.isVisible = !hint.text.isEmpty
        levels.redraw()
        // A missing microphone fails before anything else is visible.
        if let problem = composer.takeProblem() { context.showToast(Wording.failure(problem)) }
        showIdle(phase)
    }

    private func hintText(_ phase: VoiceComposer.Phase) -> String {
        switch phase {
        case .idle: ""
        case .opening: localized("Opening the microphone…")
        case .recording(isLocked: false): localized("Release to send · up to lock · sideways to cancel")
        case .recording(isLocked: true): localized("Recording")
        case .finishing: localized("One moment…")
        case .reviewing: localized("Listen, send, or discard it")
        }
    }

    private func showIdle(_ phase: VoiceComposer.Phase) {
        let isBusy = phase != .idle
        defer { wasBusy = isBusy }
        guard wasBusy, !isBusy else { return }
        if composer.wasTooShort { context.showToast(localized("Hold the button while you speak, or click it.")) }
        onText()
        offerInterrupted()
    }

    /// Offers a recording that was interrupted by a crash or an empty battery.
    func offerInterrupted() {
        Task { [composer] in await composer.offerInterrupted() }
    }

    func close() async {
        await playback.stop()
        await composer.close()
    }
}

/// The level of the current recording as bars that move left.
final class LevelMeter {
    let widget: Widget
    private let area: DrawingArea
    private let composer: VoiceComposer

    init(_ composer: VoiceComposer) {
        self.composer = composer
        area = DrawingArea { [weak composer] drawing, width, height in
            if let composer { Self.draw(composer.levels, drawing, width, height) }
        }
        area.content(width: 120, height: 30).expand(.horizontal)
        area.accessible(label: localized("Level"))
        widget = area
    }

    /// Reads what it draws here, so that the observation covers the next level.
    func redraw() {
        _ = composer.levels.count
        area.queueDraw()
    }

    private static func draw(_ levels: [Float], _ drawing: Drawing, _ width: Double, _ height: Double) {
        let step = 4.5
        let count = max(1, Int(width / step))
        for (index, level) in levels.suffix(count).reversed().enumerated() {
            let half = max(0.5, min(1, Double(level)) * (height / 2 - 2))
            let x = width - (Double(index) + 0.5) * step
            drawing.useColor("accent_color")
            drawing.line(fromX: x, y: height / 2 - half, toX: x, y: height / 2 + half, width: 2.6)
        }
    }
}
