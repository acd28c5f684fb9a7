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
    private let userName = EntryRow(localized("User name"))
    private let password = PasswordEntryRow(localized("Password"))
    private let repeated = PasswordEntryRow(localized("Confirm password"))
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
        providerPage.onContinue = { [weak model] in model?.connect() }
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
    private let model: RegistrationModel
    private var rows: [String: EntryRow] = [:]
    /// The text fields in their order.
    private(set) var fields: [EntryRow] = []
    /// The height in pixels of a CAPTCHA picture.
    private static let pictureHeight = 120

    init(_ model: RegistrationModel) { self.model = model }

    func show(_ form: RegistrationForm) {
        root.removeAll()
        instructions.removeAll()
        rows = [:]
        fields = []
        for paragraph in form.instructions {
            instructions.append(Label(paragraph).wrap(maximumCharacters: 44).textAlignment(0).css("dim-label"))
        }
        if let page = form.webPage {
            root.append(
                Self.link(
                    form.isOnlyOnWeb ? localized("Open the web page") : localized("Create it on the web instead"), page)
            )
        }
        var group: PreferencesGroup?
        for field in form.fields {
            if field.kind == .remark {
                group = nil
                root.append(Label(field.label).wrap(maximumCharacters: 44).textAlignment(0))
                continue
            }
            if let bytes = field.picture {
                group = nil
                let picture = PictureWidget()
                picture.show(alternative: field.label)
                root.append(picture.minimumSize(height: Self.pictureHeight).css("card"))
                // The picture comes from a server that is not trusted yet.
                Task { picture.show(await PictureDecoder.texture(bytes)) }
            } else if let link = field.link {
                group = nil
                root.append(Self.link(localized("Show what is asked for in the browser"), link))
            }
            let target = group ?? PreferencesGroup()
            if group == nil {
                root.append(target)
                group = target
            }
            for row in widgets(for: field) { target.add(row) }
        }
    }

    func focus(on name: String) { rows[name]?.grabFocus() }

    func show(wrong name: String?) {
        for (id, row) in rows { row.isWrong(id == name) }
    }

    private func widgets(for field: RegistrationForm.Field) -> [Widget] {
        let canBeEmpty: Bool =
            switch field.kind {
            case .text, .email, .secret, .multipleLines: !field.isRequired
            case .yesOrNo, .choice, .choices, .remark: false
            }
        let title = canBeEmpty ? localized("%@ (optional)", field.label) : field.label
        let values = model.answers[field.id] ?? field.values
        func set(_ values: [String]) { model.answers[field.id] = values }
        switch field.kind {
        case .yesOrNo:
            let row = SwitchRow(title, subtitle: field.explanation)
            row.isActive = values.first == "1" || values.first == "true"
            row.onToggle { [weak model] in model?.answers[field.id] = [$0 ? "1" : "0"] }
            return [row]
        case .choice(let options):
            let row = ComboRow(title, subtitle: field.explanation, choices: options.map(\.label))
            let index = options.firstIndex { $0.value == values.first } ?? 0
            row.selected = index
            if options.indices.contains(index) { set([options[index].value]) }
            row.onSelect { [weak model] index in
                if options.indices.contains(index) { model?.answers[field.id] = [options[index].value] }
            }
            return [row]
        case .choices(let options):
            return options.map { option in
                let row = SwitchRow(option.label, subtitle: title)
                row.isActive = values.contains(option.value)
                row.onToggle { [weak model] isOn in
                    var chosen = model?.answers[field.id] ?? field.values
                    chosen.removeAll { $0 == option.value }
                    if isOn { chosen.append(option.value) }
                    model?.answers[field.id] = chosen
                }
                return row
            }
        case .remark: return []
        case .text, .email, .secret, .multipleLines:
            let row = field.kind == .secret ? PasswordEntryRow(title) : EntryRow(title)
            row.text = values.joined(separator: " ")
            if let explanation = field.explanation { row.tip(explanation) }
            row.onChange { [weak model] in model?.answers[field.id] = [$0] }
            rows[field.id] = row
            fields.append(row)
            return [row]
        }
    }

    private static func link(_ label: String, _ address: String) -> Widget {
        let button = Button(label).align(horizontal: .center).tip(address)
        button.onClick { ToolkitSettings.open(address, over: nil) }
        return button
    }
}
