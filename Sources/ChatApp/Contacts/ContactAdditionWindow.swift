internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The window in which somebody is added.
final class ContactAdditionWindow {
    let window: Window
    let view: ContactAdditionView
    private let model: ContactAdditionModel
    private let context: AppContext

    private init(_ text: String, _ context: AppContext, _ accounts: [ChatAccount], over parent: Window?) {
        self.context = context
        model = ContactAdditionModel(accounts: accounts, store: context.home.store)
        model.text = text
        view = ContactAdditionView(model)
        window = Window(
            localized("Add a contact"), width: 440, height: 520, over: parent,
            Box.vertical(HeaderBar(title: WindowTitle("")), view.root))
        window.minimumSize(width: 340, height: 320)
        window.isModal(parent != nil)
        window.closesOnEscape()
        view.onDone = { [weak self] in self?.done($0) }
        window.onCloseRequest { [weak self] in
            self?.view.end()
            return false
        }
    }

    /// Opens the window; `nil` where there is no account that somebody could be added to.
    @discardableResult
    static func show(_ text: String, _ context: AppContext, over parent: Window?) -> ContactAdditionWindow? {
        let accounts = context.talkingAccounts
        guard !accounts.isEmpty else {
            context.say(localized("Sign in first; then contacts can be added."))
            return nil
        }
        let window = ContactAdditionWindow(text, context, accounts, over: parent)
        window.window.keep(window)
        window.window.present()
        window.view.focus()
        return window
    }

    private func done(_ address: JID) {
        let isKnown = if case .alreadyContact = model.check { true } else { false }
        if isKnown, let account = model.accountID {
            context.open(ConversationKey(account: account, address: address, kind: .direct))
        } else {
            context.say(localized("%@ is added to your contacts.", address))
        }
        window.close()
    }
}
