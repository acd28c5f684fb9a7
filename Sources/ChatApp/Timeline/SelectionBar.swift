internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import Observation

/// The messages that the user has selected to copy or forward them together. While there are any, a click on a message
/// selects it or not.
@Observable
final class MessageSelection {
    private(set) var ids: Set<MessageID> = []

    var isEmpty: Bool { ids.isEmpty }

    func toggle(_ id: MessageID) { if ids.remove(id) == nil { ids.insert(id) } }
    func clear() { if !ids.isEmpty { ids = [] } }
}

/// The bar in place of the input field while messages are selected: copy, forward, or leave it.
final class SelectionBar {
    let root: Widget
    let count = Label().css("heading").textAlignment(0).expand(.horizontal).ellipsize()
    let copy = Button(icon: "edit-copy-symbolic").css("flat")
    let forward = Button(icon: "mail-forward-symbolic").css("flat")
    let cancel = Button(icon: "window-close-symbolic").css("flat")
    private weak var view: TimelineView?

    init(_ view: TimelineView) {
        self.view = view
        root = Box.vertical(
            Separator(.horizontal),
            Box.horizontal(spacing: 6, cancel, count, copy, forward).margins(horizontal: 8, vertical: 8)
        ).css("composer").hidden()
        copy.named(localized("Copy the selected messages"))
        forward.named(localized("Forward the selected messages"))
        cancel.named(localized("Cancel the selection"))
        cancel.onClick { [weak view] in view?.selection.clear() }
        copy.onClick { [weak self] in self?.copyAll() }
        forward.onClick { [weak self] in self?.forwardAll() }
        observe(self) { bar in bar.show() }
    }

    private func show() {
        guard let view else { return }
        let number = view.selection.ids.count
        root.isVisible = number > 0
        count.text = localized("%@ message selected", plural: "%@ messages selected", count: number)
    }

    private func copyAll() {
        guard let view else { return }
        Clipboard.copy(Self.text(of: view.selectedMessages))
        services?.showToast(localized("Copied."))
        view.selection.clear()
    }

    private var services: WindowContext? { view?.services.window }

    /// One message as it is, several with their authors.
    static func text(of messages: [TimelineMessage]) -> String {
        guard messages.count > 1 else { return messages.first?.captioned.text.body ?? "" }
        return messages.map { message in
            let files = message.shown.flatMap(\.text.attachments).map { Wording.kind($0.kind) }
            let words = (files + [message.captioned.text.body]).filter { !$0.isEmpty }.joined(separator: " ")
            return localized("%@: %@", message.senderName, words)
        }.joined(separator: "\n")
    }

    private func forwardAll() {
        guard let view else { return }
        let messages = view.selectedMessages
        view.selection.clear()
        if !messages.isEmpty { view.services.forward(messages) }
    }
}

extension TimelineView {
    /// The selected messages that are loaded, oldest first.
    var selectedMessages: [TimelineMessage] {
        model.items.compactMap(\.message).filter { selection.ids.contains($0.id) && !$0.isRetracted }
    }

    func select(_ message: TimelineMessage) { if !message.isRetracted { selection.toggle(message.id) } }

    /// Marks the rows of selected messages.
    func showSelection() {
        let ids = selection.ids
        list.forEachRow { _, row in row.bubble?.showSelected(row.item?.message.map { ids.contains($0.id) } ?? false) }
    }
}
