internal import ChatModel
internal import GTKBinding
internal import Localization

/// The end of a bubble: whether the message was edited, how it was protected, its time and its state.
final class MessageFooter {
    let root: Widget
    let edited = Label(localized("edited"))
    let protection = ProtectionSign()
    let time = Label()
    let state = StateMark()
    private var message: TimelineMessage?
    /// Called when the state was clicked.
    var onState: (TimelineMessage) -> Void = { _ in }

    init() {
        root = Box.horizontal(spacing: 4, edited, protection.widget, time, state.widget).css("footer").align(
            horizontal: .end)
        state.widget.cursor("pointer").onClick { [weak self] _, _, _ in
            if let self, let message = self.message { self.onState(message) }
        }
        time.tip(whenAsked: { [weak self] in (self?.message?.time).map { Wording.full($0) } })
    }

    /// - Parameter isDeleted: the message is shown as deleted.
    func show(_ message: TimelineMessage, isDeleted: Bool) {
        self.message = message
        edited.isVisible = message.isEdited && !isDeleted
        protection.show(message)
        time.text = Wording.clock(message.shown.last?.time ?? message.time)
        state.widget.isVisible = message.isOutgoing && !isDeleted
        if message.isOutgoing { state.show(message.commonState) }
    }
}
