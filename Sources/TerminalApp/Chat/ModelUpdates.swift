internal import ChatModel
internal import ChatStore
internal import Localization
internal import Observation

/// Shows the changes of the models on the screen.
@MainActor
final class ModelUpdates {
    private let models: AccountModels
    private let console: ChatConsole
    private let display: ChatDisplay
    private let news: ListNews
    private let voice: VoiceCommands
    private let encryption: EncryptionCommands
    private var isPending = false

    /// The minimum time between two redraws for incoming changes; typing is drawn at once.
    static let frame = Duration.milliseconds(30)

    init(
        _ models: AccountModels, _ console: ChatConsole, _ display: ChatDisplay, _ news: ListNews,
        _ voice: VoiceCommands, _ encryption: EncryptionCommands
    ) {
        self.models = models
        self.console = console
        self.display = display
        self.news = news
        self.voice = voice
        self.encryption = encryption
    }

    /// Waits for the next change of anything that is drawn.
    func watch() {
        withObservationTracking {
            let (list, playback) = (models.contactList, models.playback)
            _ = models.conversations.rows.elements
            _ = (list.rows.elements, list.requests.elements, list.invitations.elements)
            _ = (playback.isPlaying, playback.position, playback.problem)
            if let conversation = models.conversation { conversation.readDrawn(fetches: isContact(conversation.key)) }
        } onChange: { [weak self] in
            Task { @MainActor [weak self] in self?.modelsChanged() }
        }
    }

    private func isContact(_ key: ConversationKey) -> Bool {
        key.kind == .direct && models.contacts.contact(key.address) != nil
    }

    /// Merges all changes within ``frame`` into one update.
    func modelsChanged() {
        guard !isPending else { return }
        isPending = true
        Task { [weak self] in
            try? await Task.sleep(for: Self.frame)
            guard let self else { return }
            isPending = false
            watch()
            update()
        }
    }

    /// Reads the models and draws them.
    func update() {
        showLists()
        voice.show()
        showConversation()
        encryption.showNews()
        display.draw()
    }

    func showLists() { news.show() }

    /// Shows the open conversation, with lines about changes that are out of sight.
    func showConversation() {
        guard let conversation = models.conversation else { return }
        let before = Dictionary(
            console.transcript.messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let key = conversation.key
        let changed = console.transcript.show(
            conversation.entries(name: models.name(of: key), fetches: isContact(key)), conversation.messages)
        for message in conversation.messages {
            let old = before[message.id]
            if let reason = conversation.failures.reason(of: message.id, message.state, from: old?.state) {
                let words = TerminalText.excerpt(message.summary)
                console.showNotice(localized("Not sent: “%@” (%@)", words, reason.message))
            } else if let old, changed.contains(.item(.message(message.id))),
                let line = MessageNews.line(about: message, from: old, files: conversation.files)
            {
                console.showNotice(line)
            }
        }
        conversation.markRead()
    }
}

/// The line about a change of a message that is not visible because its line was scrolled away.
enum MessageNews {
    @MainActor
    static func line(about message: TimelineMessage, from old: TimelineMessage, files: FileShelf) -> String? {
        let author = TerminalText.harmless(message.senderName)
        let words = TerminalText.excerpt(old.summary)
        if message.isOutgoing, message.isRetracted, !old.isRetracted { return localized("“%@” was retracted.", words) }
        if message.isOutgoing, message.text.body != old.text.body {
            return localized("“%@” is now: %@", words, TextFolding.folded(message.text.body))
        }
        if message.isRetracted, !old.isRetracted { return localized("%@ has retracted “%@”", author, words) }
        if message.text.body != old.text.body {
            return localized("%@ has changed “%@” to: %@", author, words, TextFolding.folded(message.text.body))
        }
        if message.reactions != old.reactions, let remarks = message.remarks {
            return localized("“%@” now has %@", words, remarks)
        }
        guard message.text.attachments != old.text.attachments else { return nil }
        return files.lines(of: message).joined(separator: "\n")
    }
}
