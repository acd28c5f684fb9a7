internal import ChatModel
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The bar above a conversation with a person who is no contact and to whom the user has not written: who that is, and
/// what can be done. Until then nothing that such a person sends is downloaded by itself.
final class StrangerBar {
    let root: Revealer
    let text = Label().wrap().textAlignment(0)
    let add = Button(localized("_Add to Contacts")).css("caption")
    let block = Button(localized("_Block…")).css("caption", "flat")
    let report = Button(localized("_Report…")).css("caption", "flat")
    private let actions: ContactActions

    init(_ actions: ContactActions) {
        self.actions = actions
        let hint = Label(localized("Pictures and files of strangers are downloaded only when you click them.")).wrap()
            .textAlignment(0).css("caption", "hint")
        let buttons = FoldingRow(spacing: 6, .end, add, block, report)
        root = Revealer(Box.vertical(spacing: 4, text, hint, buttons).css("notice", "stranger"), .slideDown)
        add.onClick { [weak self] in self?.actions.add() }
        block.onClick { [weak self] in self?.actions.block() }
        report.onClick { [weak self] in self?.actions.report() }
        observe(self) { bar in bar.show() }
    }

    /// Follows a stranger until the task is cancelled; there is nothing to follow about others.
    func run() async {
        await actions.model.refresh()
        if actions.model.isStranger { await actions.model.run(asksPeer: false) }
    }

    private func show() {
        let model = actions.model
        root.isRevealed = model.isStranger && !model.isContact && !model.isBlocked
        text.text = localized("%@ is not in your contacts.", model.address)
        for button in [add, block, report] { button.isSensitive = model.isOnline && !model.isWorking }
    }
}
