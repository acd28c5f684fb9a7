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
    static let offeredReactions = 8

    init(_ message: TimelineMessage, _ view: TimelineView) {
        self.message = message
        self.view = view
    }

    @discardableResult
    func open(at x: Double, _ y: Double) -> Popover {
        let (view, message) = (view, message)
        addActions()
        let popover = Popover(Menu(entries))
        if message.canBeAnswered { popover.add(reactions(popover), at: "reactions") }
        popover.onClose { [weak view] in MainLoop.schedule(.idle) { view?.onDone() } }
        view.overlay.insert(actions, prefix: "message")
        popover.open(at: x, y, of: view.overlay)
        return popover
    }

    var entries: [Menu.Entry] {
        guard !message.isRetracted else {
            return [.item(localized("Remove From This Computer"), "message.remove")]
        }
        var first: [Menu.Entry] = []
        if message.canBeAnswered { first.append(.item(localized("Reply"), "message.reply")) }
        if message.hasText { first.append(.item(localized("Copy Text"), "message.copy")) }
        if message.canBeEdited {
            first.append(.item(localized("Edit"), "message.edit"))
        }
        first.append(.item(localized("Forward…"), "message.forward"))
        first.append(.item(localized("Select"), "message.select"))
        if message.hasFiles { first.append(.item(localized("Save As…"), "message.save")) }
        var last: [Menu.Entry] = []
        if message.isOutgoing { last.append(.item(localized("Message Info"), "message.info")) }
        if message.isOutgoing { last.append(.destructive(localized("Delete for Everyone"), "message.retract")) }
        if !message.isOutgoing, view.services.moderation?.isAllowed() == true {
            last.append(.destructive(localized("Delete for Everyone…"), "message.moderate"))
        }
        last.append(.item(localized("Remove From This Computer"), "message.remove"))
        let top: [Menu.Entry] = message.canBeAnswered ? [.section(nil, [.placeholder("reactions")])] : []
        return top + [.section(nil, first), .section(nil, last)]
    }

    /// Opens the reactions alone.
    @discardableResult
    func openReactions(at x: Double, _ y: Double) -> Popover {
        let popover = Popover()
        popover.show(reactions(popover))
        let view = view
        popover.onClose { [weak view] in MainLoop.schedule(.idle) { view?.onDone() } }
        popover.open(at: x, y, of: view.overlay)
        return popover
    }

    private func reactions(_ popover: Popover) -> Widget {
        let box = Box.horizontal(spacing: 2)
        let (view, message) = (view, message)
        let (emojis, hasChooser) = view.timeline.actions.offeredReactions(
            Self.quickReactions, limit: Self.offeredReactions)
        for emoji in emojis {
            let button = Button(Label(emoji)).css("flat", "circular", "quick-reaction")
            button.accessible(label: localized("React with %@", emoji))
            button.onClick { [weak view, weak popover] in
                popover?.close()
                view?.actions.toggleReaction(emoji, message)
            }
            box.append(button)
        }
        guard hasChooser else { return box }
        let more = MenuButton(icon: "list-add-symbolic").css("flat", "circular", "quick-reaction")
        more.named(localized("More emoji"))
        more.show(
            EmojiChooser { [weak view, weak popover] emoji in
                popover?.close()
                view?.actions.toggleReaction(emoji, message)
            })
        box.append(more)
        return box
    }

    private func addActions() {
        let (message, services) = (message, view.services)
        actions.add(Action("reply") { [weak view] in view?.onReply(message.id) })
        actions.add(Action("edit") { [weak view] in view?.onEdit(message.id) })
        actions.add(Action("copy") { [weak view] in view?.actions.copy(message) })
        actions.add(Action("forward") { services.forward([message]) })
        actions.add(Action("info") { [weak view] in view?.actions.explain(message) })
        actions.add(Action("select") { [weak view] in view?.select(message) })
        actions.add(Action("save") { [weak view] in view?.actions.save(message) })
        actions.add(Action("retract") { [weak view] in view?.actions.delete(message, everywhere: true) })
        actions.add(Action("moderate") { [weak view] in if let view { Self.moderate(message, view) } })
        actions.add(Action("remove") { [weak view] in view?.actions.delete(message, everywhere: false) })
    }

    /// Deletes another person's message as a moderator, after a confirmation.
    @discardableResult
    static func moderate(_ message: TimelineMessage, _ view: TimelineView) -> MessageDialog {
        let (timeline, services) = (view.timeline, view.services)
        let dialog = MessageDialog(
            localized("Delete this message of %@?", message.senderName),
            body: localized("It disappears for everyone in the room. They see that a moderator has deleted it."))
        dialog.add("cancel", localized("_Cancel")).add("delete", localized("_Delete"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: services.window.window()) { answer in
            guard answer == "delete", let moderation = services.moderation else { return }
            Task {
                for part in message.shown {
                    guard let id = (try? await timeline.actions.moderationID(of: part.id)) ?? nil else {
                        return services.window.showToast(
                            localized("The room does not keep this message, so it cannot be deleted."))
                    }
                    do throws(RoomFailure) {
                        try await moderation.delete(id)
                    } catch {
                        return services.window.showToast(Wording.failure(error))
                    }
                }
            }
        }
        return dialog
    }
}
