internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The menu of a message.
final class MessageMenu {
    private let message: TimelineMessage
    private let view: TimelineView
    private let actions = ActionGroup()

    /// Reactions at the top of the menu; the chooser has all others.
    static let quickReactions = ["👍", "❤️", "😂", "😮", "😢", "🙏"]
    /// The number of accepted reactions that fit side by side where only those are offered.
    private static let offeredReactions = 8

    init(_ message: TimelineMessage, _ view: TimelineView) {
        self.message = message
        self.view = view
    }

    func open(at x: Double, _ y: Double) {
        let (view, message) = (view, message)
        addActions()
        let popover = Popover(Menu(entries))
        if canReact { popover.add(reactions(popover), at: "reactions") }
        view.overlay.insert(actions, prefix: "message")
        popover.open(at: x, y, of: view.overlay)
        withExtendedLifetime(message) {}
    }

    private var canReact: Bool {
        guard !message.isRetracted else { return false }
        if !message.isOutgoing { return true }
        switch message.state {
        case .sentToServer, .delivered, .displayed: return true
        case .queued, .failed: return false
        }
    }

    private var isStored: Bool {
        if case .queued = message.state { false } else { true }
    }

    var entries: [Menu.Entry] {
        guard !message.isRetracted else {
            return [.item(localized("Remove from this computer"), "message.remove")]
        }
        var first: [Menu.Entry] = []
        if canReact { first.append(.item(localized("Reply"), "message.reply")) }
        if !message.text.body.isEmpty { first.append(.item(localized("Copy text"), "message.copy")) }
        if message.isOutgoing, canReact, message.text.attachments.isEmpty {
            first.append(.item(localized("Edit"), "message.edit"))
        }
        first.append(.item(localized("Forward…"), "message.forward"))
        if !message.text.attachments.isEmpty { first.append(.item(localized("Save as…"), "message.save")) }
        var last: [Menu.Entry] = []
        if message.isOutgoing { last.append(.item(localized("Delete for everyone"), "message.retract")) }
        if !message.isOutgoing, view.services.moderation?.isAllowed() == true {
            last.append(.item(localized("Delete for everyone…"), "message.moderate"))
        }
        last.append(.item(localized("Remove from this computer"), "message.remove"))
        let top: [Menu.Entry] = canReact ? [.section(nil, [.placeholder("reactions")])] : []
        return top + [.section(nil, first), .section(nil, last)]
    }

    private func reactions(_ popover: Popover) -> Widget {
        let box = Box.horizontal(spacing: 2)
        let (view, message) = (view, message)
        let (emojis, hasChooser) = view.timeline.offeredReactions(Self.quickReactions, limit: Self.offeredReactions)
        for emoji in emojis {
            let button = Button(Label(emoji)).css("flat", "circular", "quick-reaction")
            button.accessible(label: localized("React with %@", emoji))
            button.onClick { [weak view, weak popover] in
                popover?.close()
                view?.toggleReaction(emoji, message)
            }
            box.append(button)
        }
        guard hasChooser else { return box }
        let more = MenuButton(icon: "list-add-symbolic").css("flat", "circular", "quick-reaction")
        more.named(localized("More emoji"))
        more.show(
            EmojiChooser { [weak view, weak popover] emoji in
                popover?.close()
                view?.toggleReaction(emoji, message)
            })
        box.append(more)
        return box
    }

    private func addActions() {
        let (message, services) = (message, view.services)
        let timeline = view.timeline
        actions.add(Action("reply") { [weak view] in view?.onReply(message.id) })
        actions.add(Action("edit") { [weak view] in view?.onEdit(message.id) })
        actions.add(Action("copy") { Clipboard.copy(message.text.body) })
        actions.add(Action("forward") { services.forward(message) })
        actions.add(Action("save") { [weak view] in if let view { FileOpening.save(message, view) } })
        actions.add(
            Action("retract") {
                services.window.attempt { () async throws(StoreError) in try await timeline.retract(message.id) }
            })
        actions.add(Action("moderate") { [weak view] in if let view { Self.moderate(message, view) } })
        actions.add(
            Action("remove") {
                services.window.attempt { () async throws(StoreError) in try await timeline.remove(message.id) }
            })
    }
    /// Deletes another person's message as a moderator, after a confirmation.
    @discardableResult
    static func moderate(_ message: TimelineMessage, _ view: TimelineView) -> MessageDialog {
        let (timeline, services) = (view.timeline, view.services)
        let dialog = MessageDialog(
            localized("Delete this message of %@?", message.senderName),
            body: localized("Nobody in the room sees it any more, and that a moderator has deleted it is told."))
        dialog.add("cancel", localized("_Cancel")).add("delete", localized("_Delete"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: services.window.window()) { answer in
            guard answer == "delete", let moderation = services.moderation else { return }
            Task {
                guard let id = (try? await timeline.moderationID(of: message.id)) ?? nil else {
                    return services.window.showToast(
                        localized("The room does not keep this message, so it cannot be deleted."))
                }
                do throws(RoomFailure) {
                    try await moderation.delete(id)
                } catch {
                    services.window.showToast(Wording.failure(error))
                }
            }
        }
        return dialog
    }
}
