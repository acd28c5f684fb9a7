internal import GTKBinding

/// The keyboard focus of an open conversation.
extension ConversationView {
    /// The focus has one owner, the input field: it returns there after each click, popover and menu. What is typed
    /// elsewhere in the conversation is written there.
    func followFocus() {
        root.onTyping { [weak self] _ in self?.root.focusedContent == .popover ? nil : self?.typingTarget }
        for place in [timeline.root, header.bar] as [Widget] {
            place.onRelease { [weak self] in self?.returnFocus(afterClick: true) }
        }
        root.onKey { [weak self] press in
            guard press.modifiers == .control, press.key == .up || press.key == .down else { return false }
            guard self?.root.focusedContent != .popover, self?.findBar.root.containsFocus == false else { return false }
            self?.timeline.choose(press.key == .up ? -1 : 1)
            return true
        }
        root.onKey(.bubble) { [weak self] press in
            guard press.key == .escape, let selection = self?.timeline.selection, !selection.isEmpty else {
                return false
            }
            selection.clear()
            return true
        }
    }

    /// The field for what is typed while nothing that takes text has the focus.
    var typingTarget: Widget? { composer?.canWrite == true && timeline.selection.isEmpty ? composer?.entry : nil }

    /// Moves the focus to the input field, unless the user writes elsewhere, has selected text or opened a menu.
    ///
    /// - Parameter afterClick: the user has clicked somewhere, which may have selected text.
    func returnFocus(afterClick: Bool = false) {
        switch root.focusedContent {
        case .text where afterClick, .popover: return
        default: if isInFront { focus() }
        }
    }
}
