internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The sign-in form: address, password and server settings.
final class SignInView {
    let root: Widget
    var onDone: (AccountID) -> Void = { _ in }

    private let model: SignInModel
    let page: FormPage
    let address = EntryRow(localized("Address"))
    let password = PasswordEntryRow(localized("Password"))
    let server = ServerRows()
    private var isDone = false
    private var shownFailure: SignInFailure?

    init(_ model: SignInModel, reason: String? = nil) {
        self.model = model
        page = FormPage(
            title: model.isRepeated ? localized("Sign In Again") : localized("Sign In"),
            description: reason ?? localized("An address has the form juliet@example.org."),
            button: localized("_Sign In"))
        root = page.root
        let group = PreferencesGroup()
        group.add(address)
        group.add(password)
        page.add(group)
        page.add(PreferencesGroup("", description: nil, [server.root]))
        address.text = model.address
        address.isSensitive = !model.isRepeated
        password.text = model.password
        server.host.text = model.host
        server.port.text = model.port
        server.directTLS.isActive = model.usesDirectTLS
        func typed(_ row: EntryRow, _ path: ReferenceWritableKeyPath<SignInModel, String>) {
            row.onChange { [weak model] in
                model?[keyPath: path] = $0
                model?.edited()
            }
        }
        typed(address, \.address)
        typed(password, \.password)
        typed(server.host, \.host)
        typed(server.port, \.port)
        server.directTLS.onToggle { [weak model] in model?.usesDirectTLS = $0 }
        page.order([address, password, server.host, server.port])
        page.onContinue = { [weak self] in
            // The same failure moves the focus again.
            self?.shownFailure = nil
            self?.model.start()
        }
        page.onCancel = { [weak model] in model?.cancel() }
        observe(self) { view in view.show() }
    }

    func focus() { (model.isRepeated ? password : address).grabFocus() }

    /// The field that has to be corrected gets the focus.
    private func focus(on field: SignInFailure.Field?) {
        switch field {
        case .address?: address.grabFocus()
        case .password?:
            password.grabFocus()
            password.selectAll()
        case .server?: server.host.grabFocus()
        case .port?: server.port.grabFocus()
        case .repeatedPassword?, .invitation?, .form?, nil: break
        }
    }

    private func show() {
        page.show(failure: model.failure?.message)
        page.show(progress: model.progressText)
        let field = model.failure?.field
        address.isWrong(field == .address)
        password.isWrong(field == .password)
        server.show(isHostWrong: field == .server, isPortWrong: field == .port)
        if model.failure != shownFailure {
            shownFailure = model.failure
            if !model.isWorking { focus(on: field) }
        }
        if case .done(let id) = model.progress, !isDone {
            isDone = true
            onDone(id)
        }
    }
}

/// The server settings; collapsed, because only few providers require them.
final class ServerRows {
    let root = ExpanderRow(localized("Server settings"))
    let host = EntryRow(localized("Host"))
    let port = EntryRow(localized("Port"))
    let directTLS = SwitchRow(localized("Encrypted from the first byte"), subtitle: localized("Direct TLS"))

    init(asksForTLS: Bool = true) {
        root.add(host)
        root.add(port)
        if asksForTLS { root.add(directTLS) }
    }

    func show(isHostWrong: Bool, isPortWrong: Bool) {
        host.isWrong(isHostWrong)
        port.isWrong(isPortWrong)
        if isHostWrong || isPortWrong { root.isOpen = true }
    }
}

/// The form to paste an invitation link into.
final class InvitationView {
    let root: Widget
    var onInvitation: (AccountInvitation) -> Void = { _ in }
    let page: FormPage
    private let link = EntryRow(localized("Link"))

    init() {
        page = FormPage(
            title: localized("Use an Invitation"),
            description: localized("Paste the link that you were sent. It begins with “xmpp:” or “https:”."),
            button: localized("_Continue"))
        root = page.root
        page.add(PreferencesGroup("", description: nil, [link]))
        page.order([link])
        page.onContinue = { [weak self] in self?.goOn() }
        link.onChange { [weak self] _ in
            self?.page.show(failure: nil)
            self?.link.isWrong(false)
        }
    }

    func focus() { link.grabFocus() }

    private func goOn() {
        guard let invitation = AccountInvitation(link.text) else {
            link.isWrong(true)
            page.show(
                failure: localized("This is no invitation. Copy the whole link, from its first to its last character."))
            return
        }
        onInvitation(invitation)
    }

    func show(failure: String) { page.show(failure: failure) }
}
