internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Media

/// Pictures and files: chosen, pasted or dropped, they are shown before they are sent.
extension ComposerView {
    func chooseFiles() {
        Task { [weak self] in
            let paths = await FileChooser.open(
                localized("Send pictures or files"), accept: localized("_Choose"), several: true,
                over: self?.place.window())
            if !paths.isEmpty { self?.offer { await $0.add(paths: paths) } }
        }
    }

    /// - Returns: whether something other than text was pasted.
    func paste() -> Bool {
        guard place.media != nil else { return false }
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

    /// Takes what is dropped on the conversation.
    ///
    /// - Returns: whether it can be sent.
    func take(_ dropped: Dropped) -> Bool {
        switch dropped {
        case .files(let paths):
            guard place.media != nil else { return false }
            offer { await $0.add(paths: paths) }
        case .picture(let bytes):
            guard place.media != nil else { return false }
            offer(bytes)
        case .text(let text):
            entry.insert(text)
            focus()
        }
        return true
    }

    private func offer(_ picture: [UInt8]) {
        let type = MediaType(sniffing: Array(picture.prefix(MediaType.sniffedByteCount)))
        offer { await $0.add(picture, name: "\(localized("picture")).\(type.fileExtension)") }
    }

    /// Says that the text is too long for a message, and shows it as a file that can be sent.
    func offerTextAsFile() {
        guard place.media != nil, composer.edit == nil else {
            return place.say(localized("This text is too long for one message. Send it in parts."))
        }
        place.say(MessageLength.explanation)
        guard textAsFile == nil else { return }
        let text = composer.text
        textAsFile = text
        offer { await $0.add(Array(text.utf8), name: Self.nameOfText) }
    }

    private static var nameOfText: String { localized("text") + ".txt" }

    /// Shows what is to be sent; what comes while the window is open is added there.
    private func offer(_ add: @escaping (OutgoingSelection) async -> Void) {
        guard let media = place.media else { return }
        let window: OutgoingWindow
        if let preview {
            window = preview
        } else {
            window = OutgoingWindow(over: place.window())
            window.onSend = { [weak self] selection in self?.send(selection, media) }
            window.onClosed = { [weak self] in
                self?.preview = nil
                self?.textAsFile = nil
                self?.focus()
            }
            preview = window
            window.present()
        }
        let selection = window.selection
        Task { await add(selection) }
    }

    private func send(_ selection: OutgoingSelection, _ media: MediaCache) {
        let holdsText = selection.items.contains { $0.name == Self.nameOfText }
        attempt { [composer, textAsFile] () throws(StoreError) in
            try await composer.send(files: selection.attachments(in: media))
            // What is in the file need not be written any more.
            if holdsText, composer.text == textAsFile { composer.text = "" }
        }
    }
}
