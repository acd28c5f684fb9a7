internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Creating an account: first the provider, then what it asks for.
final class RegistrationView {
    let root: Widget
    var onDone: (AccountID) -> Void = { _ in }
    private(set) var isDone = false

    private let model: RegistrationModel
    private let stack = Stack(crossfades: true)
    private let providerPage: FormPage
    private let formPage: FormPage
    private let provider = EntryRow(localized("Provider"))
    private let server = ServerRows(asksForTLS: false)
    private let userName = EntryRow(localized("User name"))
    private let password = PasswordEntryRow(localized("Password"))
    private let repeated = PasswordEntryRow(localized("The same password again"))
    private let names = PreferencesGroup()
    private let form: RegistrationFormView
    private var shownForm: RegistrationForm?

    init(_ model: RegistrationModel) {
        self.model = model
        form = RegistrationFormView(model)
        let invitation = model.invitation
        let inviter = invitation.flatMap { $0.contactName ?? $0.contact?.description }
        providerPage = FormPage(
            title: localized("Create an account"),
            description: inviter.map { localized("%@ invites you.", $0) }
                ?? localized(
                    "Anybody can run a chat server. Enter one that you trust, such as that of your school or club."),
            button: localized("_Continue"))
        formPage = FormPage(
            title: localized("Create an account"), description: nil, button: localized("_Create the account"))
        stack.add(providerPage.root, name: "provider")
        stack.add(formPage.root, name: "form")
        root = stack
        providerPage.add(PreferencesGroup("", description: nil, [provider]))
        providerPage.add(PreferencesGroup("", description: nil, [server.root]))
        for row in [userName, password, repeated] as [EntryRow] { names.add(row) }
        formPage.add(names)
        formPage.add(form.root)
        connect()
        observe(self) { view in view.show() }
    }

    private func connect() {
        provider.text = model.provider
        userName.text = model.userName
        userName.isSensitive = !model.isUserNameFixed
        provider.isSensitive = model.invitation?.provider == nil
        func typed(_ row: EntryRow, _ path: ReferenceWritableKeyPath<RegistrationModel, String>) {
            row.onChange { [weak model] in
                model?[keyPath: path] = $0
                model?.edited()
            }
        }
        typed(provider, \.provider)
        typed(server.host, \.host)
        typed(server.port, \.port)
        typed(userName, \.userName)
        typed(password, \.password)
        typed(repeated, \.repeatedPassword)
        providerPage.order([provider, server.host, server.port])
        formPage.order([userName, password, repeated])
        providerPage.onContinue = { [weak model] in model?.connect() }
        providerPage.onCancel = { [weak model] in model?.cancel() }
        formPage.onContinue = { [weak self] in self?.goOn() }
        formPage.onCancel = { [weak model] in model?.cancel() }
    }

    private func goOn() {
        // There is an account already; only signing in to it has failed.
        if model.progress == .signingIn { model.signIn?.start() } else { model.submit() }
    }

    func focus() { provider.grabFocus() }

    /// One step back; `false` where there is none.
    func goBack() -> Bool {
        guard stack.shown == "form", model.progress != .signingIn else { return false }
        model.cancel()
        return true
    }

    private func show() {
        let isForm: Bool =
            switch model.progress {
            case .form, .submitting, .signingIn: true
            case .provider, .connecting: model.form != nil && !(model.form?.isOnlyOnWeb ?? false)
            }
        if stack.shown != (isForm ? "form" : "provider") {
            stack.shown = isForm ? "form" : "provider"
            if isForm { (model.isUserNameFixed ? password : userName).grabFocus() }
        }
        let failure = model.signIn?.failure ?? model.failure
        let page = isForm ? formPage : providerPage
        page.show(failure: failure?.sentence)
        page.show(progress: model.progressText)
        if provider.text != model.provider { provider.text = model.provider }
        provider.isWrong(failure?.field == .server && !isForm)
        userName.isWrong(failure?.field == .address)
        password.isWrong(failure?.field == .password)
        repeated.isWrong(failure?.field == .repeatedPassword)
        server.show(isHostWrong: false, isPortWrong: failure?.field == .port)
        if case .form(let name)? = failure?.field { form.show(wrong: name) } else { form.show(wrong: nil) }
        if let new = model.form, new != shownForm {
            shownForm = new
            form.show(new)
            formPage.order([userName, password, repeated] + form.fields)
        }
        names.isVisible = !(model.form?.isOnlyOnWeb ?? false)
        formPage.show(button: model.progress == .signingIn ? localized("_Try again") : localized("_Create the account"))
        formPage.show(isButtonNeeded: !(model.form?.isOnlyOnWeb ?? false))
        if case .done(let id)? = model.signIn?.progress, !isDone {
            isDone = true
            onDone(id)
        }
    }
}
