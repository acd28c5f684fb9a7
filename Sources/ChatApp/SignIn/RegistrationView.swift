internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The pages that create an account: the provider first, then its form.
final class RegistrationView {
    let root: Widget
    var onDone: (AccountID) -> Void = { _ in }
    private(set) var isDone = false

    private let model: RegistrationModel
    private let stack = Stack(crossfades: true)
    private let providerPage: FormPage
    private let formPage: FormPage
    let provider = EntryRow(localized("Provider"))
    let providers: ProviderChooser
    private let server = ServerRows(asksForTLS: false)
    let userName = EntryRow(localized("User name"))
    let password = PasswordEntryRow(localized("Password"))
    let repeated = PasswordEntryRow(localized("Confirm password"))
    private let names = PreferencesGroup()
    let newAddress = Label().wrap(maximumCharacters: 40).textAlignment(0).css("caption", "dim-label")
    private let ownServer: Box
    private var shownFailure: SignInFailure?
    private let form: RegistrationFormView
    private var shownForm: RegistrationForm?

    init(_ model: RegistrationModel) {
        self.model = model
        form = RegistrationFormView(model)
        providers = ProviderChooser(KnownProvider.all)
        ownServer = Box.vertical(
            spacing: 18, PreferencesGroup("", description: nil, [provider]),
            PreferencesGroup("", description: nil, [server.root]))
        let invitation = model.invitation
        let inviter = invitation.flatMap { $0.contactName ?? $0.contact?.description }
        providerPage = FormPage(
            title: localized("Create an Account"),
            description: inviter.map { localized("%@ invites you.", $0) }
                ?? localized(
                    "A provider keeps your account and passes on your messages. You can write to people of all providers."
                ),
            button: localized("_Continue"))
        formPage = FormPage(
            title: localized("Create an Account"), description: nil, button: localized("_Create Account"))
        stack.add(providerPage.root, name: "provider")
        stack.add(formPage.root, name: "form")
        root = stack
        // An invitation has decided.
        if invitation?.provider == nil { providerPage.add(providers.root) }
        providerPage.add(ownServer)
        for row in [userName, password, repeated] as [EntryRow] { names.add(row) }
        formPage.add(form.instructions)
        formPage.add(Box.vertical(spacing: 6, names, newAddress))
        formPage.add(form.root)
        connect()
        observe(self) { view in view.show() }
    }

    private func connect() {
        provider.text = model.provider
        userName.text = model.userName
        userName.isSensitive = !model.isUserNameFixed
        provider.isSensitive = model.invitation?.provider == nil
        providers.onChoice = { [weak self] in self?.chosen($0) }
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
        providerPage.onContinue = { [weak self] in
            self?.shownFailure = nil
            self?.model.connect()
        }
        providerPage.onCancel = { [weak model] in model?.cancel() }
        formPage.onContinue = { [weak self] in self?.goOn() }
        formPage.onCancel = { [weak model] in model?.cancel() }
    }

    /// - Parameter choice: `nil` for another provider, which is typed.
    private func chosen(_ choice: KnownProvider?) {
        model.edited()
        model.provider = choice?.domain ?? ""
        model.host = ""
        model.port = ""
        show()
        if choice == nil { provider.grabFocus() }
    }

    private func goOn() {
        // The same failure moves the focus again.
        shownFailure = nil
        // The account exists already; only signing in to it failed.
        if model.progress == .signingIn { model.signIn?.start() } else { model.submit() }
    }

    func focus() {
        if provider.isMapped, provider.grabFocus() { return }
        providers.focus()
    }

    /// Goes one page back; `false` on the first page.
    func goBack() -> Bool {
        guard stack.shown == "form", model.progress != .signingIn else { return false }
        model.cancel()
        return true
    }

    /// The field that has to be corrected gets the focus.
    private func focus(on field: SignInFailure.Field?) {
        switch field {
        case .address?: userName.grabFocus()
        case .password?: password.grabFocus()
        case .repeatedPassword?: repeated.grabFocus()
        case .server? where provider.isMapped: provider.grabFocus()
        case .port?: server.port.grabFocus()
        case .form(let name)?: form.focus(on: name)
        case .server?, .invitation?, nil: break
        }
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
        page.show(failure: failure?.message)
        page.show(progress: model.progressText)
        ownServer.isVisible = model.invitation?.provider != nil || providers.isOther
        if provider.text != model.provider { provider.text = model.provider }
        if server.host.text != model.host { server.host.text = model.host }
        if server.port.text != model.port { server.port.text = model.port }
        newAddress.text =
            model.address.map { localized("Your address will be %@", $0) }
            ?? localized("Your address will end with @%@", model.provider)
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
        formPage.show(button: model.progress == .signingIn ? localized("_Try Again") : localized("_Create Account"))
        formPage.show(isButtonNeeded: !(model.form?.isOnlyOnWeb ?? false))
        if failure != shownFailure {
            shownFailure = failure
            if !model.isWorking { focus(on: failure?.field) }
        }
        if case .done(let id)? = model.signIn?.progress, !isDone {
            isDone = true
            onDone(id)
        }
    }
}

/// The fields that a provider requires in addition to name and password.
final class RegistrationFormView {
    let root = Box(.vertical, spacing: 18)
    /// What the provider says, to be read before the fields are filled in.
    let instructions = Box(.vertical, spacing: 12)
    private let rows: FormFieldsView
    /// The text fields in their order.
    var fields: [EntryRow] { rows.fields }

    init(_ model: RegistrationModel) {
        rows = FormFieldsView(
            values: { [weak model] field in model?.answers[field.id] ?? field.values },
            set: { [weak model] field, values in model?.answers[field.id] = values })
    }

    func show(_ form: RegistrationForm) {
        root.removeAll()
        instructions.removeAll()
        for paragraph in form.instructions {
            instructions.append(Label(paragraph).wrap(maximumCharacters: 44).textAlignment(0).css("dim-label"))
        }
        if let page = form.webPage {
            root.append(
                FormFieldsView.link(
                    form.isOnlyOnWeb ? localized("Open the Web Page") : localized("Create It on the Web Instead"), page)
            )
        }
        root.append(rows.root)
        rows.show(form.fields)
    }

    func focus(on name: String) { rows.focus(on: name) }
    func show(wrong name: String?) { rows.show(wrong: name) }
}
