internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Address and password, and where the server is.
final class SignInView {
    let root: Widget
    var onDone: (AccountID) -> Void = { _ in }

    private let model: SignInModel
    let page: FormPage
    let address = EntryRow(localized("Address"))
    let password = PasswordEntryRow(localized("Password"))
    let server = ServerRows()
    private var isDone = false

    init(_ model: SignInModel, reason: String? = nil) {
        self.model = model
        page = FormPage(
            title: model.isRepeated ? localized("Sign in again") : localized("Sign in"),
            description: reason ?? localized("Your address looks like juliet@example.org."),
            button: localized("_Sign in"))
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
        page.onContinue = { [weak model] in model?.start() }
        page.onCancel = { [weak model] in model?.cancel() }
        observe(self) { view in view.show() }
    }

    func focus() { (model.isRepeated ? password : address).grabFocus() }

    private func show() {
        page.show(failure: model.failure?.sentence)
        page.show(progress: model.progressText)
        let field = model.failure?.field
        address.isWrong(field == .address)
        password.isWrong(field == .password)
        server.show(isHostWrong: field == .server, isPortWrong: field == .port)
        if case .done(let id) = model.progress, !isDone {
            isDone = true
            onDone(id)
        }
    }
}
