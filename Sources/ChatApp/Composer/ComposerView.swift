internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The place under a conversation where a message is written: text, files and voice.
///
/// Return sends, Shift+Return breaks the line; while an input method composes a word, all keys are its own.
final class ComposerView {
    let root: Widget
    let entry = TextView()
    let mentions = MentionBar()
    let banner = ComposerBanner()
    let send = SendMark.button()
    let attach = Button(icon: "mail-attachment-symbolic").css("flat", "circular").focusOnClick(false)
    let emoji = MenuButton(icon: "face-smile-symbolic").css("flat", "circular")
    let place: WritingPlace
    var composer: Composer { place.composer }
    /// The window in which files wait for the person's word.
    var preview: OutgoingWindow?
    /// The text that waits there as a file.
    var textAsFile: String?

    let placeholder = Label(localized("Message")).ellipsize().css("dim-label").textAlignment(0)
    private let stack = Stack().fitsShownChild()
    let voice: VoiceRecorderView?
    private var change: Object.Connection?

    /// The field grows up to this height, in pixels; then it scrolls.
    private static let largestHeight = 180

    init(_ place: WritingPlace) {
        self.place = place
        entry.padding(horizontal: 4, vertical: 9).accessible(label: localized("Message"))
        placeholder.margins(start: 5, top: 9).align(horizontal: .start, vertical: .start).targetable(false)
        let scroller = ScrolledWindow(entry).growsWithContent(upTo: Self.largestHeight).expand(.horizontal)
        let field = Box.horizontal(spacing: 2, Overlay(scroller, placeholder).expand(.horizontal), emoji).css(
            "entry-box")
        emoji.align(vertical: .end).opensUpwards()
        attach.align(vertical: .end).margins(bottom: 3)
        send.align(vertical: .end).margins(bottom: 3)
        let text = Box.horizontal(spacing: 6, attach, field.expand(.horizontal))
        stack.add(text, name: "text")
        let buttons = Box.horizontal(send)
        if let folder = place.recordings, let media = place.media {
            let voice = VoiceRecorderView(folder: folder, place: place, media: media)
            stack.add(voice.panel, name: "voice")
            buttons.append(voice.button)
            self.voice = voice
        } else {
            voice = nil
        }
        let row = Box.horizontal(spacing: 6, stack.expand(.horizontal), buttons.align(vertical: .end))
        root = Box.vertical(
            Separator(.horizontal), mentions.root, banner.root, row.margins(horizontal: 8, vertical: 8)
        ).css("composer")
        name()
        connect()
        observe(self) { view in view.show() }
        Task { [weak self, composer] in
            await composer.open()
            self?.voice?.offerInterrupted()
        }
    }

    private func name() {
        attach.named(localized("Send pictures or files"))
        attach.isVisible = place.media != nil
        emoji.named(localized("Emoji"))
    }

    private func connect() {
        change = entry.onChange { [weak self] in self?.wrote($0) }
        entry.onComposing { [weak self] in self?.showPlaceholder() }
        entry.onCursor { [weak self] in self?.complete() }
        entry.onKey { [weak self] in self?.pressed($0) ?? false }
        entry.onPaste { [weak self] in self?.paste() ?? false }
        send.onClick { [weak self] in self?.sendText() }
        attach.onClick { [weak self] in self?.chooseFiles() }
        banner.onCancel = { [weak self] in self?.cancelTarget() }
        mentions.onChoice = { [weak self] in self?.mention($0) }
        // The chooser has thousands of emoji; few people need it in each conversation that they open.
        emoji.show(whenOpened: { [weak self] in
            EmojiChooser { emoji in
                self?.entry.insert(emoji)
                self?.focus()
            }
        })
        voice?.onText = { [weak self] in self?.focus() }
    }

    func focus() { entry.grabFocus() }

    /// Says in the field which account writes, where there are several.
    func show(account: AccountTag?) {
        let words = account.map { localized("Message as %@", $0.address) } ?? localized("Message")
        guard words != placeholder.text else { return }
        placeholder.text = words
        entry.accessible(label: words)
    }

    /// Makes what is written an answer to a message.
    func answer(_ message: MessageID) {
        attempt { [composer] () throws(StoreError) in try await composer.answer(message) }
        focus()
    }

    /// Brings a message of this person back into the field.
    func correct(_ message: MessageID) {
        attempt { [composer] () throws(StoreError) in _ = try await composer.correct(message) }
        focus()
    }

    /// Keeps what is written; what is being recorded is kept, too.
    func close() async {
        preview?.close()
        await voice?.close()
        await composer.close()
    }

    // MARK: Showing

    private func show() {
        if entry.text != composer.text, let change {
            entry.withoutHearingChange(change) { entry.text = composer.text }
            complete()
        }
        showPlaceholder()
        banner.show(composer)
        let isRecording = voice?.isBusy ?? false
        stack.shown = isRecording ? "voice" : "text"
        let hasText = !composer.isEmpty
        send.isVisible = !isRecording && (hasText || voice == nil)
        send.isSensitive = hasText
        voice?.button.isVisible = isRecording || !hasText
        if let problem = composer.problem { place.say(Wording.failure(problem)) }
    }

    /// A word that is being composed stands in the field and not yet in its text.
    private func showPlaceholder() { placeholder.isVisible = entry.text.isEmpty && !entry.isComposing }

    private func wrote(_ text: String) {
        showPlaceholder()
        if composer.text != text { composer.text = text }
        complete()
    }

    // MARK: Doing

    func sendText() {
        guard !composer.isEmpty else { return }
        guard !composer.isTooLong else { return offerTextAsFile() }
        mentions.show(nil)
        attempt { [composer] () throws(StoreError) in _ = try await composer.send() }
        focus()
    }

    func cancelTarget() {
        if composer.edit != nil {
            composer.cancelCorrection()
        } else {
            attempt { [composer] () throws(StoreError) in try await composer.answer(nil) }
        }
        focus()
    }

    func attempt(_ body: @escaping () async throws(StoreError) -> Void) {
        WindowPlace(window: place.window, toast: place.say).attempt(body)
    }

    // MARK: Nicknames

    /// Offers names for the word before the cursor.
    func complete() {
        let names = place.nicknames()
        guard !names.isEmpty, !entry.isComposing else { return mentions.show(nil) }
        let text = entry.text
        let scalars = text.unicodeScalars
        let cursor = scalars.index(scalars.startIndex, offsetBy: entry.cursor, limitedBy: scalars.endIndex)
        mentions.show(MentionCompletion(in: text, at: cursor ?? text.endIndex, of: names))
    }

    func mention(_ name: String) {
        guard let completion = mentions.completion else { return }
        let text = entry.text
        let start = text.unicodeScalars.distance(from: text.startIndex, to: completion.range.lowerBound)
        let end = text.unicodeScalars.distance(from: text.startIndex, to: completion.range.upperBound)
        mentions.show(nil)
        entry.replace(start..<end, with: completion.replacement(for: name))
        mentions.show(nil)
        focus()
    }
}
