internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import Media

/// Sends files, and downloads received ones.
@MainActor
struct FileCommands {
    let models: AccountModels
    let console: ChatConsole

    /// Prepares a file and adds it to the send queue, in the background.
    func send(_ file: String, isPicture: Bool) {
        send(titled: isPicture ? localized("[picture] %@", file) : localized("[file] %@", file)) { media in
            let selection = OutgoingSelection()
            await selection.add(paths: [FileShelf.expanded(file)])
            guard let item = selection.items.first else {
                throw FileProblem(localized("The file %@ cannot be read.", file))
            }
            if isPicture, item.picture == nil {
                throw FileProblem(localized("%@ is not a picture; /file sends it as it is.", file))
            }
            return try await selection.attachments(in: media)
        }
    }

    /// Asks whether to send a text that is too long for a message as a file; otherwise it stays as a draft.
    func offerAsFile(_ text: String) {
        console.showNotice(MessageLength.explanation)
        console.confirm(localized("Send it as a file (yes/no)? ")) {
            send(titled: localized("[text file]")) { media in
                let selection = OutgoingSelection()
                await selection.add(Array(text.utf8), name: localized("text") + ".txt")
                return try await selection.attachments(in: media)
            }
            if let composer = models.conversation?.composer, composer.text == text { composer.text = "" }
        }
    }

    func sendVoice(_ file: String) {
        send(titled: localized("[voice] %@", file)) { media in
            try await [VoiceMessage.make(fromFile: FileShelf.expanded(file)).attachment(in: media)]
        }
    }

    private func send(
        titled title: String, _ prepare: @escaping @MainActor (MediaCache) async throws -> [Attachment]
    ) {
        guard let pane = models.conversation else {
            return console.showNotice(localized("Open a conversation first."))
        }
        guard let media = models.account.media else {
            return console.showNotice(localized("The profile has no folder for files."))
        }
        console.activity = title
        console.jobs.begin {
            do {
                try await pane.composer.send(files: prepare(media))
                showWaiting()
            } catch {
                console.showNotice(
                    localized(
                        "Not sent: “%@”. %@", TerminalText.excerpt(title),
                        TerminalText.harmless((error as? FileProblem)?.description ?? Wording.failure(any: error))))
            }
            console.activity = nil
        }
    }

    private struct FileProblem: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Shows once per offline period that messages are waiting.
    func showWaiting() {
        if let line = models.waitingLine() { console.showNotice(line) }
    }

    /// Downloads the newest file that is not here.
    func fetch() {
        guard let pane = models.conversation, pane.files.fetchNewest(of: pane.messages) else {
            return console.showNotice(localized("There is nothing to download."))
        }
    }

    /// Declines the newest file that a contact offers.
    func decline() {
        guard let pane = models.conversation, pane.files.declineNewest(of: pane.messages) else {
            return console.showNotice(localized("No contact offers a file here."))
        }
    }
}
