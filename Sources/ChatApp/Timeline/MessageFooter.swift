internal import ChatModel
internal import GTKBinding
internal import Localization

/// The end of a bubble: whether the message was edited, how it was protected, its time and its state.
final class MessageFooter {
    let root: Widget
    let time = Label()
    // Created on demand: GTK computes the style also of what is hidden.
    private(set) var edited: Label?
    private(set) var protection: ProtectionSign?
    private(set) var state: StateMark?
    private let box: Box
    private var message: TimelineMessage?
    /// Called when the state was clicked.
    var onState: (TimelineMessage) -> Void = { _ in }

    init() {
        box = Box.horizontal(spacing: 4, time).css("footer").align(horizontal: .end)
        root = box
        time.tip(whenAsked: { [weak self] in (self?.message?.time).map { Wording.full($0) } })
    }

    /// - Parameter isDeleted: the message is shown as deleted.
    func show(_ message: TimelineMessage, isDeleted: Bool) {
        self.message = message
        showEdited(message.isEdited && !isDeleted)
        showProtection(message)
        time.text = Wording.clock(message.shown.last?.time ?? message.time)
        showState(message, isShown: message.isOutgoing && !isDeleted)
    }

    private func showEdited(_ isShown: Bool) {
        edited?.isVisible = isShown
        guard isShown, edited == nil else { return }
        let label = Label(localized("edited"))
        box.prepend(label)
        edited = label
    }

    private func showProtection(_ message: TimelineMessage) {
        if protection == nil, message.mark != nil {
            let sign = ProtectionSign()
            box.insert(sign.widget, after: edited)
            protection = sign
        }
        protection?.show(message)
    }

    private func showState(_ message: TimelineMessage, isShown: Bool) {
        state?.widget.isVisible = isShown
        guard isShown else { return }
        if state == nil {
            let mark = StateMark()
            mark.widget.cursor("pointer").onClick { [weak self] _, _, _ in
                if let self, let message = self.message { self.onState(message) }
            }
            box.append(mark.widget)
            state = mark
        }
        state?.show(message.commonState)
    }
}
