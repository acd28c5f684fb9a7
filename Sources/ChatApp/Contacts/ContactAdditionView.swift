internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The form that adds a contact: the address, checked while it is typed, a name and a message.
final class ContactAdditionView {
    let root: Widget
    /// Called when the contact was added, or when the address belongs to an existing contact.
    var onDone: (JID) -> Void = { _ in }
    let page: FormPage
    let address = EntryRow(localized("Address"))
    let name = EntryRow(localized("Name (only you see it)"))
    let message = EntryRow(localized("Message"))
    let check = Label().wrap(maximumCharacters: 44).textAlignment(0).css("caption", "dim-label")

    private let model: ContactAdditionModel
    /// The account to add the contact to; shown when there are several.
    let account: ComboRow?
    private var adding: Task<Void, Never>?

    init(_ model: ContactAdditionModel) {
        self.model = model
        page = FormPage(
            title: nil,
            description: localized("A contact request will be sent. You can start chatting right away."),
            button: localized("_Add"))
        root = page.root
        let group = PreferencesGroup()
        // With one account there is nothing to choose.
        account =
            model.accounts.count > 1
            ? ComboRow(localized("Your account"), choices: model.accounts.map(\.description)) : nil
        if let account { group.add(account) }
        group.add(address)
        page.add(Box.vertical(spacing: 6, group, check))
        page.add(PreferencesGroup("", description: nil, [name, message]))
        address.text = model.text
        message.text = model.message
        account?.onSelect { [weak model] in model?.accountIndex = $0 }
        address.onChange { [weak model] in model?.text = $0 }
        name.onChange { [weak model] in model?.name = $0 }
        message.onChange { [weak model] in model?.message = $0 }
        page.order([address, name, message])
        page.onContinue = { [weak self] in self?.add() }
        page.onCancel = { [weak self] in self?.adding?.cancel() }
        observe(self) { view in view.show() }
        Task { await model.reload() }
    }

    func focus() {
        address.grabFocus()
        address.moveCursorToEnd()
    }

    private func show() {
        let known = model.check
        let own = model.accounts.indices.contains(model.accountIndex) ? model.accounts[model.accountIndex] : nil
        check.text = ContactText.check(known, domain: own?.domain ?? "")
        if case .alreadyContact = known {
            page.show(button: localized("_Write a Message"))
        } else {
            page.show(button: localized("_Add"))
        }
        let isWrong = known == .own || known == .invalid && model.text.contains("@") && !address.containsFocus
        check.css("error", known == .own)
        check.css("dim-label", known != .own)
        address.isWrong(isWrong)
        page.show(isButtonSensitive: known.address != nil)
        // A message has no reader when it accepts a request or repeats one.
        if case .new = known { message.isSensitive = true } else { message.isSensitive = known.address == nil }
        page.show(failure: model.failure)
        page.show(progress: model.isWorking ? localized("Asking the server…") : nil)
    }

    private func add() {
        if case .alreadyContact(let address, _) = model.check { return onDone(address) }
        guard model.check.canBeAdded, adding == nil else { return }
        adding = Task { [weak self, model] in
            let added = await model.submit()
            self?.adding = nil
            if let added { self?.onDone(added) }
        }
    }

    /// Cancels the current operation.
    func end() { adding?.cancel() }
}

/// The window with the form that adds a contact.
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
            localized("Add a Contact"), width: 440, height: 520, over: parent,
            Box.vertical(HeaderBar(title: WindowTitle(localized("Add a Contact"))), view.root))
        window.minimumSize(width: 340, height: 320)
        window.isModal(parent != nil)
        window.closesOnEscape()
        view.onDone = { [weak self] in self?.done($0) }
        window.onCloseRequest { [weak self] in
            self?.view.end()
            return false
        }
    }

    /// Opens the window; `nil` when no account can add contacts.
    @discardableResult
    static func show(_ text: String, _ context: AppContext, over parent: Window?) -> ContactAdditionWindow? {
        let accounts = context.usableAccounts
        guard !accounts.isEmpty else {
            context.showToast(localized("Sign in first; then contacts can be added."))
            return nil
        }
        let window = ContactAdditionWindow(text, context, accounts, over: parent)
        window.window.retain(window)
        window.window.present()
        window.view.focus()
        return window
    }

    private func done(_ address: JID) {
        let isKnown = if case .alreadyContact = model.check { true } else { false }
        if !isKnown { context.showToast(localized("%@ is added to your contacts.", address)) }
        window.close()
        if let account = model.accountID {
            context.open(ConversationKey(account: account, address: address, kind: .direct))
        }
    }
}
