internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What the user does with the messages of a timeline, by menu, keyboard or pointer.
struct MessageActions {
    let timeline: Timeline
    let services: TimelineServices

    func toggleReaction(_ emoji: String, _ message: TimelineMessage) {
        services.window.attempt { [timeline] () async throws(StoreError) in
            try await timeline.actions.toggleReaction(emoji, to: message.id)
        }
    }

    /// Reacts with one of the reactions that the menu shows, counted from 1.
    func react(_ message: TimelineMessage, number: Int) {
        let emojis = timeline.actions.offeredReactions(MessageMenu.quickReactions, limit: MessageMenu.offeredReactions)
            .emojis
        if message.canBeAnswered, emojis.indices.contains(number - 1) { toggleReaction(emojis[number - 1], message) }
    }

    func retry(_ message: TimelineMessage) {
        services.window.attempt { [timeline] () async throws(StoreError) in try await timeline.actions.retry(message.id)
        }
    }

    func copy(_ message: TimelineMessage) { if message.hasText { Clipboard.copy(message.captioned.text.body) } }

    /// Deletes a message, or all of its album: for everyone if `everywhere`, else on this device. The user can undo it for a few seconds.
    func delete(_ message: TimelineMessage, everywhere: Bool) {
        let (timeline, ids, window) = (timeline, message.shown.map(\.id), services.window)
        delete(ids, everywhere ? localized("Message deleted for everyone") : localized("Message removed")) {
            () async throws(StoreError) in
            for id in ids {
                if !everywhere {
                    try await timeline.actions.remove(id)
                } else if try await !timeline.actions.retract(id) {
                    window.showToast(localized("This message cannot be deleted."))
                }
            }
        }
    }

    /// Deletes messages after a moment in which the user can undo it.
    private func delete(
        _ ids: [MessageID], _ text: String, _ perform: @escaping @MainActor () async throws(StoreError) -> Void
    ) {
        let (deletions, window) = (services.deletions, services.window)
        var toast: Toast?
        let deletion = deletions.begin(ids, perform: perform) {
            window.showToast(Wording.failure($0))
        } done: {
            toast?.dismiss()
            toast = nil
        }
        toast = window.showUndo(text) { deletions.undo(deletion) }
    }

    func isDeleting(_ message: MessageID) -> Bool { services.deletions.messages.contains(message) }

    func explain(_ message: TimelineMessage) {
        let (timeline, services) = (timeline, services)
        let file = message.text.attachments.first.flatMap {
            services.downloads()?.download(of: message.id, attachment: $0).sending
        }
        services.window.attempt { () async throws(StoreError) in
            let found = try await timeline.life(of: message.id, isOnline: services.isOnline(), file: file)
            guard let life = found else { return }
            MessageLifeWindow.show(life, over: services.window.window())
        }
    }

    func open(_ message: TimelineMessage, _ attachment: Int) {
        guard message.text.attachments.indices.contains(attachment),
            let download = services.downloads()?.download(
                of: message.id, at: attachment, attachment: message.text.attachments[attachment]),
            case .here(let path) = download.phase
        else { return }
        if message.text.attachments[attachment].kind == .picture { return openPicture(message.id, attachment) }
        FileOpening.open(
            path, message.text.attachments[attachment], over: services.window.window(),
            showToast: services.window.showToast)
    }

    /// Saves the files of a message or an album: one under a name that the user chooses, several into a folder.
    func save(_ message: TimelineMessage) {
        guard let downloads = services.downloads() else { return }
        let files = message.shown.flatMap { message in
            message.text.attachments.enumerated().map {
                downloads.download(of: message.id, at: $0.offset, attachment: $0.element)
            }
        }
        let window = services.window
        if files.count > 1 {
            FileOpening.save(files, over: window.window(), showToast: window.showToast)
        } else if let file = files.first {
            FileOpening.save(file, over: window.window(), showToast: window.showToast)
        }
    }

    /// Opens the viewer with the pictures of the loaded messages.
    private func openPicture(_ message: MessageID, _ attachment: Int) {
        guard let downloads = services.downloads() else { return }
        let items = timeline.messages.filter { !$0.isRetracted }.flatMap { stored in
            stored.text.attachments.enumerated().filter { $0.element.kind == .picture }.map {
                PictureViewer.Item(message: stored.id, index: $0.offset, attachment: $0.element)
            }
        }
        let index = items.firstIndex { $0.message == message && $0.index == attachment }
        PictureViewer(
            items, at: index ?? 0, downloads: downloads, over: services.window.window(),
            showToast: services.window.showToast
        ).present()
    }
}

/// Which actions a message allows.
extension TimelineMessage {
    /// Whether others can refer to it, in a reply or a reaction.
    var canBeAnswered: Bool {
        guard !isRetracted else { return false }
        if !isOutgoing { return true }
        switch state {
        case .sentToServer, .delivered, .displayed: return true
        case .queued, .failed: return false
        }
    }

    var canBeEdited: Bool { isOutgoing && canBeAnswered && text.attachments.isEmpty }
    var hasText: Bool { !isRetracted && !captioned.text.body.isEmpty }
    var hasFiles: Bool { !isRetracted && shown.contains { !$0.text.attachments.isEmpty } }
}
