internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import SpellChecking

/// The area under a conversation where a message is written: text, files and voice.
///
/// Return sends and Shift+Return inserts a line break. While an input method composes text, it receives every key.
final class ComposerView {
    let root: Widget
    let entry = TextView()
    let completions: CompletionBar
    let files: ComposerFiles
    /// What a word that addresses everybody in the room does.
    let everybody = Label().wrap(maximumCharacters: 60).textAlignment(0).css("caption", "dim-label").hidden()
    let banner = ComposerBanner()
    let link: LinkBanner
    let send = SendButton.button()
    let attach = Button(icon: "mail-attachment-symbolic").css("flat", "circular").focusOnClick(false)
    let emoji = MenuButton(icon: "face-smile-symbolic").css("flat", "circular")
    let context: ComposerContext
    var composer: Composer { context.composer }
    /// `nil` when the account is not running.
    var encryption: EncryptionButton? { context.encryption }

    let placeholder = Label(localized("Message")).ellipsize().css("dim-label").textAlignment(0)
    private let scroller: ScrolledWindow
    private let stack = Stack().fitsShownChild()
    let voice: VoiceRecorderView?
    private var change: Object.Connection?
    /// `nil` without dictionaries.
    private(set) var spelling: Spelling?

    /// The input field grows up to this height in pixels, then it scrolls.
    private static let maximumHeight = 180

    init(_ context: ComposerContext) {
        self.context = context
        completions = CompletionBar(entry, context)
        files = ComposerFiles(context, entry)
        link = LinkBanner(context.composer.links)
        entry.padding(horizontal: 4, vertical: 9).accessible(label: localized("Message"))
        placeholder.margins(start: 5, top: 9).align(horizontal: .start, vertical: .start).targetable(false)
        scroller = ScrolledWindow(entry).growsWithContent(upTo: Self.maximumHeight).expand(.horizontal)
        let field = Box.horizontal(spacing: 2, Overlay(scroller, placeholder).expand(.horizontal), emoji).css(
            "entry-box")
        emoji.align(vertical: .end).opensUpwards()
        if let lock = context.encryption?.button { field.insert(lock.align(vertical: .end), after: nil) }
        attach.align(vertical: .end).margins(bottom: 3)
        send.align(vertical: .end).margins(bottom: 3)
        let text = Box.horizontal(spacing: 6, attach, field.expand(.horizontal))
        stack.add(text, name: "text")
        let buttons = Box.horizontal(send)
        if let folder = context.recordings, let media = context.media {
            let voice = VoiceRecorderView(folder: folder, context: context, media: media)
            stack.add(voice.panel, name: "voice")
            buttons.append(voice.button)
            self.voice = voice
        } else {
            voice = nil
        }
        let row = Box.horizontal(spacing: 6, stack.expand(.horizontal), buttons.align(vertical: .end))
        root = Box.vertical(
            Separator(.horizontal), completions.root, everybody.margins(start: 14, end: 14, top: 6, bottom: 0),
            banner.root, link.root, row.margins(horizontal: 8, vertical: 8)
        ).css("composer")
        name()
        spelling = context.spelling.map { Spelling(entry, $0, isOn: context.checksSpelling) }
        connect()
        observe(self) { view in view.show() }
        observe(self) { view in view.showEverybody() }
        Task { [weak self, composer] in
            await composer.open()
            self?.voice?.offerInterrupted()
        }
    }

    private func name() {
        attach.named(localized("Send pictures or files"))
        attach.isVisible = context.media != nil
        emoji.named(localized("Emoji"))
    }

    private func connect() {
        encryption?.showToast = context.showToast
        encryption?.onDevices = context.showDevices
        encryption?.onClosed = { [weak self] in self?.focus() }
        change = entry.onChange { [weak self] in self?.wrote($0) }
        entry.onComposing { [weak self] in self?.showPlaceholder() }
        entry.onCursor { [weak self] in
            self?.completions.complete()
            self?.spelling?.changed()
        }
        entry.onKey { [weak self] in self?.pressed($0) ?? false }
        entry.onPaste { [weak self] in self?.files.paste() ?? false }
        send.onClick { [weak self] in self?.sendText() }
        attach.onClick { [weak self] in self?.files.choose() }
        banner.onCancel = { [weak self] in self?.cancelTarget() }
        completions.onDone = { [weak self] in self?.focus() }
        files.onDone = { [weak self] in self?.focus() }
        files.whenAllowed = { [weak self] in self?.whenAllowed($0) }
        // The chooser holds thousands of emoji, so it is created when it is first opened.
        emoji.show(whenOpened: { [weak self] in
            let chooser = EmojiChooser { self?.entry.insert($0) }
            chooser.onClose { MainLoop.schedule(.idle) { self?.focus() } }
            return chooser
        })
        voice?.onText = { [weak self] in self?.focus() }
    }

    func focus() { if canWrite { entry.grabFocus() } }

    /// How far the text is scrolled, in pixels.
    var entryOffset: Double { scroller.offset }

    /// Whether the input field is shown, not the recorder.
    var canWrite: Bool { voice?.isBusy != true }

    /// Shows the sending account as a placeholder when there are several accounts.
    func show(account: AccountTag?) {
        let text = account.map { localized("Message as %@", $0.address) } ?? localized("Message")
        guard text != placeholder.text else { return }
        placeholder.text = text
        entry.accessible(label: text)
    }

    /// Makes the text a reply to a message.
    func reply(to message: MessageID) {
        context.attempt { [composer] () throws(StoreError) in try await composer.reply(to: message) }
        focus()
    }

    /// Loads one of the user's own messages into the field for correction.
    func correct(_ message: MessageID) {
        context.attempt { [composer] () throws(StoreError) in _ = try await composer.correct(message) }
        focus()
    }

    /// Writes a text into the field, after the draft that is there. The user sends it or not.
    func propose(_ text: String) {
        Task { [composer, weak self] in
            // The draft comes first.
            await composer.open()
            if composer.edit != nil { composer.cancelCorrection() }
            if composer.isEmpty {
                composer.text = text
            } else if !composer.text.contains(text) {
                composer.text += "\n" + text
            }
            self?.focus()
        }
    }

    /// Saves the draft and the current recording.
    func close() async {
        files.close()
        encryption?.close()
        await voice?.close()
        await composer.close()
    }

    // MARK: Showing

    private func show() {
        if entry.text != composer.text, let change {
            entry.withoutHearingChange(change) { entry.text = composer.text }
            spelling?.changed()
            completions.complete()
        }
        showPlaceholder()
        banner.show(composer)
        let isRecording = voice?.isBusy ?? false
        stack.shown = isRecording ? "voice" : "text"
        let hasText = !composer.isEmpty
        send.isVisible = !isRecording && (hasText || voice == nil)
        send.isSensitive = hasText
        voice?.button.isVisible = isRecording || !hasText
        if let problem = composer.problem { context.showToast(Wording.failure(problem)) }
    }

    /// While an input method composes text, the field is not empty although its text is.
    private func showPlaceholder() { placeholder.isVisible = entry.text.isEmpty && !entry.isComposing }

    private func wrote(_ text: String) {
        showPlaceholder()
        spelling?.changed()
        if composer.text != text { composer.text = text }
        completions.complete()
        showEverybody()
    }

    /// Says whom “@all” and “@here” notify, before the message is sent.
    private func showEverybody() {
        // Read also without such a word, so that a change of the role is noticed.
        let isAllowed = context.mayAddressEverybody?()
        let mention = isAllowed == nil ? nil : EverybodyMention.first(in: entry.text)?.mention
        everybody.isVisible = mention != nil
        guard let mention, let isAllowed else { return }
        everybody.text = Wording.everybody(mention, isAllowed: isAllowed)
    }

    // MARK: Actions

    func sendText() {
        guard !composer.isEmpty else { return }
        guard !composer.isTooLong else { return files.offerText() }
        completions.show(nil)
        focus()
        whenAllowed { [context] in
            context.attempt { () throws(StoreError) in _ = try await context.composer.send() }
        }
    }

    /// Sends, unless the encryption would refuse the message: then the text stays, and the popover says what to do.
    func whenAllowed(_ send: @escaping () -> Void) {
        guard let encryption, encryption.model.isRefused else { return send() }
        Task { [weak self] in
            // The answer may be out of date.
            await encryption.model.refresh()
            guard self != nil else { return }
            if encryption.model.isRefused { encryption.open() } else { send() }
        }
    }

    func cancelTarget() {
        if composer.edit != nil {
            composer.cancelCorrection()
        } else {
            context.attempt { [composer] () throws(StoreError) in try await composer.reply(to: nil) }
        }
        focus()
    }

    // MARK: Keys

    /// Whether Return sends with these modifiers.
    static func sends(_ modifiers: Modifiers, withReturn: Bool) -> Bool {
        withReturn ? !modifiers.contains(.shift) : modifiers.contains(.control)
    }

    /// Handles a key before the input field does.
    func pressed(_ press: KeyPress) -> Bool {
        // While an input method composes text, the same keys confirm, change and cancel the composition.
        if entry.isComposing { return false }
        if completions.pressed(press) { return true }
        switch press.key {
        case .enter where Self.sends(press.modifiers, withReturn: context.sendsWithReturn()): sendText()
        case .up where composer.text.isEmpty && composer.edit == nil && press.modifiers.isEmpty:
            context.attempt { [composer] () throws(StoreError) in _ = try await composer.correctLast() }
        case .escape where composer.edit != nil || composer.reply != nil: cancelTarget()
        default: return false
        }
        return true
    }
}

/// What ``ComposerView`` needs from the rest of the program.
struct ComposerContext {
    let composer: Composer
    /// Stores files until they are sent; `nil` when the account cannot send files.
    let media: MediaCache?
    /// The folder of the recordings; `nil` when nothing can be recorded.
    let recordings: String?
    /// A recorder to use instead of the microphone and ``recordings``.
    var voice: VoiceComposer?
    /// The lock beside the input field; `nil` without an account.
    var encryption: EncryptionButton?
    /// Opens the devices of the other side; `nil` in a room.
    var showDevices: (() -> Void)?
    /// The names that a message can mention: the nicknames in a room.
    var nicknames: () -> [String] = { [] }
    /// Whether “@all” notifies everybody in the room; `nil` outside of rooms.
    var mayAddressEverybody: (() -> Bool)?
    /// The commands of the other side, which "/" suggests; `nil` where there are none.
    var commands: CommandSuggestions?
    /// Whether Return sends; otherwise Ctrl+Return does.
    var sendsWithReturn: () -> Bool = { true }
    /// The dictionaries; `nil` checks no spelling.
    var spelling: SpellChecker?
    /// Whether the user wants misspelled words to be underlined.
    var checksSpelling: () -> Bool = { true }
    /// Shows a message to the user.
    var showToast: (String) -> Void = { _ in }
    /// The parent window of dialogs.
    var window: () -> Window? = { nil }

    /// Runs a store operation and shows its error.
    func attempt(_ body: @escaping () async throws(StoreError) -> Void) {
        WindowContext(window: window, showToast: showToast).attempt(body)
    }
}

/// The Send button. Its paper plane is drawn here because no icon theme is certain to have one.
enum SendButton {
    /// A round button with the plane.
    static func button() -> Button {
        let area = DrawingArea { drawing, width, height in draw(drawing, width, height) }
        return Button(area.content(width: 16, height: 16).align(horizontal: .center, vertical: .center))
            .css("suggested-action", "circular").focusOnClick(false).named(localized("Send"))
    }

    /// Two wings on a 16 by 16 grid, with the fold between them. It flies to where the text goes.
    private static func draw(_ drawing: Drawing, _ width: Double, _ height: Double) {
        let unit = min(width, height) / 16
        let isRightToLeft = drawing.isRightToLeft
        func wing(_ corners: (x: Double, y: Double)...) {
            drawing.polygon(corners.map { (x: (isRightToLeft ? 16 - $0.x : $0.x) * unit, y: $0.y * unit) })
        }
        drawing.useTextColor()
        wing((1.5, 1.5), (15.5, 8), (3.2, 7.3))
        wing((1.5, 14.5), (15.5, 8), (3.2, 8.7))
    }
}
