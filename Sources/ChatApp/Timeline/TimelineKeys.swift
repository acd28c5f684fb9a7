internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The keyboard in a timeline: Ctrl+↑ and Ctrl+↓ choose a message, which has the focus then. R replies, E edits, F
/// forwards, S selects, 1 to 6 react, Ctrl+C copies, Delete deletes, Return opens or plays the file, or replies, the menu
/// key opens the menu.
/// Escape and Tab go back to the input field, and so does any other letter, which is written there.
final class TimelineKeys {
    private unowned let view: TimelineView
    private var list: ListView<TimelineRow> { view.list }
    private var model: ListModel<TimelineItem> { view.model }
    private var root: Widget { view.root }

    init(_ view: TimelineView) { self.view = view }

    /// The message that has the focus.
    var chosen: TimelineMessage? {
        guard list.containsFocus, let index = list.focused, model.items.indices.contains(index) else { return nil }
        return model[index].message
    }

    /// Handles a key before the message does.
    func pressed(_ press: KeyPress) -> Bool {
        // Text that the user has selected in a message is copied by its label.
        if list.focused == nil || root.focusedContent == .popover { return false }
        switch press.key {
        case .up where press.modifiers.isSubset(of: .control): choose(-1)
        case .down where press.modifiers.isSubset(of: .control): choose(1)
        case .escape where !view.selection.isEmpty: view.selection.clear()
        // Back to what is above; the bar of the selection is in the place of the field.
        case .tab where press.modifiers.contains(.shift) || !view.selection.isEmpty: return false
        case .escape, .tab: view.onDone()
        default:
            guard let message = chosen else { return false }
            return pressed(press, on: message)
        }
        return true
    }

    private func pressed(_ press: KeyPress, on message: TimelineMessage) -> Bool {
        let isSelecting = root.focusedContent == .text
        switch press.key {
        case _ where press.asksForMenu: view.openMenu(message)
        case .delete where press.modifiers.isEmpty:
            if view.actions.isDeleting(message.id) { return true }
            view.actions.delete(message, everywhere: message.isOutgoing && !message.isRetracted)
        case .enter where !isSelecting && press.modifiers.isEmpty: enter(message)
        default:
            if press.modifiers == .control, press.letter == "c", !isSelecting {
                view.actions.copy(message)
                return true
            }
            guard press.modifiers.isEmpty, let letter = press.letter else { return false }
            return pressed(letter, on: message)
        }
        return true
    }

    private func pressed(_ letter: Character, on message: TimelineMessage) -> Bool {
        switch letter {
        case "r" where message.canBeAnswered: view.onReply(message.id)
        case "e" where message.canBeEdited: view.onEdit(message.id)
        case "f" where !message.isRetracted: view.services.forward([message])
        case "s" where !message.isRetracted: view.select(message)
        case "1"..."9": view.actions.react(message, number: letter.wholeNumberValue ?? 0)
        default: return false
        }
        return true
    }

    private func enter(_ message: TimelineMessage) {
        if message.hasFiles, let file = view.bubble(at: message.id)?.files.views.first {
            file.activate()
        } else if message.canBeAnswered {
            view.onReply(message.id)
        }
    }

    // MARK: Choosing

    /// Moves the focus to the next message in a direction; without one, to the lowest that is visible. Below the newest
    /// message is the input field.
    func choose(_ step: Int) {
        let items = model.items
        let start = list.containsFocus ? list.focused : nil
        var index = start.map { $0 + step } ?? lowestVisible
        while items.indices.contains(index), items[index].message == nil { index += start == nil ? -1 : step }
        guard items.indices.contains(index) else {
            if step > 0 || start == nil { view.onDone() }
            return
        }
        focus(index)
    }

    private var lowestVisible: Int {
        var lowest = -1
        list.forEachRow { index, row in
            if let place = row.root.translate(x: 0, y: 0, to: list), place.y < Double(list.height) {
                lowest = max(lowest, index)
            }
        }
        return lowest
    }

    private func focus(_ index: Int) {
        let id = model[index].id
        view.position.show(index) { [weak self] in self?.grab(id) ?? true }
    }

    private func grab(_ item: TimelineItem.ID) -> Bool {
        guard let index = model.index(of: item), let bubble = list.row(at: index)?.bubble else { return false }
        return bubble.root.grabFocus()
    }
}
