internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Media

/// Pictures and files that are chosen, pasted or dropped: they are previewed before they are sent.
final class ComposerFiles {
    /// The window that previews files before they are sent.
    private(set) var preview: OutgoingWindow?
    /// Called when the user goes on in the input field.
    var onDone: () -> Void = {}
    /// Runs a closure if files may be sent now, see ``ComposerView/whenAllowed(_:)``.
    var whenAllowed: (@escaping () -> Void) -> Void = { $0() }

    private let context: ComposerContext
    private let entry: TextView
    private var composer: Composer { context.composer }
    /// The text that the preview holds as a file.
    private var textAsFile: String?

    init(_ context: ComposerContext, _ entry: TextView) {
        self.context = context
        self.entry = entry
    }

    func close() { preview?.close() }

    func choose() {
        Task { [weak self] in
            let paths = await FileChooser.open(
                localized("Send Pictures or Files"), accept: localized("_Choose"), several: true,
                over: self?.context.window())
            if !paths.isEmpty { self?.offer { await $0.add(paths: paths) } }
        }
    }

    /// - Returns: `true` if the clipboard held something other than text.
    func paste() -> Bool {
        guard context.media != nil else { return false }
        if Clipboard.hasFiles {
            Task { [weak self] in
                let paths = (try? await Clipboard.files()) ?? []
                if !paths.isEmpty { self?.offer { await $0.add(paths: paths) } }
            }
            return true
        }
        guard Clipboard.hasPictureOnly else { return false }
        Task { [weak self] in
            guard let picture = (try? await Clipboard.picture()) ?? nil else { return }
            self?.offer(picture)
        }
        return true
    }

    /// Accepts files or text that were dropped on the conversation.
    ///
    /// - Returns: `false` if they cannot be sent.
    func take(_ dropped: Dropped) -> Bool {
        switch dropped {
        case .files(let paths):
            guard context.media != nil else { return false }
            offer { await $0.add(paths: paths) }
        case .picture(let bytes):
            guard context.media != nil else { return false }
            offer(bytes)
        case .text(let text):
            entry.insert(text)
            onDone()
        }
        return true
    }

    private func offer(_ picture: [UInt8]) {
        let type = MediaType(sniffing: Array(picture.prefix(MediaType.sniffedByteCount)))
        offer { await $0.add(picture, name: "\(localized("picture")).\(type.fileExtension)") }
    }

    /// Explains that the text is too long for a message, and offers to send it as a file.
    func offerText() {
        guard context.media != nil, composer.edit == nil else {
            return context.showToast(localized("This text is too long for one message. Send it in parts."))
        }
        context.showToast(MessageLength.explanation)
        guard textAsFile == nil else { return }
        let text = composer.text
        textAsFile = text
        offer { await $0.add(Array(text.utf8), name: Self.textFileName) }
    }

    private static var textFileName: String { localized("text") + ".txt" }

    /// Opens the preview, or adds to the preview that is open.
    private func offer(_ add: @escaping (OutgoingSelection) async -> Void) {
        whenAllowed { [weak self] in self?.preview(add) }
    }

    private func preview(_ add: @escaping (OutgoingSelection) async -> Void) {
        guard let media = context.media else { return }
        let window: OutgoingWindow
        if let preview {
            window = preview
        } else {
            // What is in the input field becomes the caption, unless it is the file, or corrects a message.
            let takesText = textAsFile == nil && composer.edit == nil
            window = OutgoingWindow(
                over: context.window(), caption: takesText ? composer.text : "",
                sendsWithReturn: context.sendsWithReturn)
            window.onSend = { [weak self] in self?.send($0, caption: $1, media, takesText: takesText) }
            window.onClosed = { [weak self] unsent in
                self?.preview = nil
                self?.textAsFile = nil
                if takesText, let unsent { self?.composer.text = unsent }
                self?.onDone()
            }
            preview = window
            window.present()
        }
        let selection = window.selection
        Task { await add(selection) }
    }

    private func send(_ selection: OutgoingSelection, caption: String, _ media: MediaCache, takesText: Bool) {
        let holdsText = selection.items.contains { $0.name == Self.textFileName }
        context.attempt { [composer, textAsFile] () throws(StoreError) in
            try await composer.send(files: selection.attachments(in: media), caption: caption)
            if takesText { composer.text = "" }
            // The text is in the file now, so it is removed from the input field.
            if holdsText, composer.text == textAsFile { composer.text = "" }
        }
    }
}
