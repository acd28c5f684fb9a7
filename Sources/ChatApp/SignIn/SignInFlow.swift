internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The sign-in pages: welcome, sign in, create an account, use an invitation; and what a further account begins with.
///
/// They fill the main window until the first account is signed in, and a window of their own for further accounts.
final class SignInFlow {
    let root: Widget
    let header = HeaderBar(title: WindowTitle(localized("Hongyan")))
    var onDone: (AccountID) -> Void = { _ in }
    /// Shows the page of an account, for its name and picture.
    var onProfile: (AccountID) -> Void = { _ in }
    /// The parent window of dialogs.
    var window: () -> Window? = { nil }

    private let actions: any SignInActions
    private let isFirst: Bool
    private let stack = Stack(crossfades: true)
    private let back = Button(icon: "go-previous-symbolic").named(localized("Back")).hidden()
    private var path: [String] = []
    private var signIn: SignInView?
    private(set) var registration: RegistrationView?
    private(set) var newAccount: NewAccountView?
    private var invitation: InvitationView?
    private var models: [AnyObject] = []
    private(set) var questions: [CertificateDialog] = []

    /// - Parameter isFirst: no account is signed in yet, so the first page is the welcome page.
    init(_ actions: any SignInActions, isFirst: Bool) {
        self.actions = actions
        self.isFirst = isFirst
        header.prepend(back)
        root = Box.vertical(header, stack.expand(.vertical))
        stack.add(welcome(isFirst: isFirst), name: "welcome")
        stack.shown = "welcome"
        back.onClick { [weak self] in self?.goBack() }
        root.onKey(.bubble) { [weak self] key in
            guard key.key == .escape || key.key == .left && key.modifiers == .alt else { return false }
            return self?.goBack() ?? false
        }
    }

    private func welcome(isFirst: Bool) -> Widget {
        func choice(_ label: String, _ style: String?, _ body: @escaping () -> Void) -> Button {
            let button = Button(label).css("pill")
            if let style { button.css(style) }
            button.onClick(body)
            return button
        }
        let choices = Box.vertical(
            spacing: 12,
            choice(localized("_Sign In"), "suggested-action") { [weak self] in self?.showSignIn() },
            choice(localized("_Create an Account"), nil) { [weak self] in self?.showRegistration() },
            choice(localized("Use an _Invitation"), nil) { [weak self] in self?.showInvitation() }
        ).align(horizontal: .center).homogeneous()
        return StatusPage(
            icon: ProgramIcon.name,
            title: isFirst ? localized("Welcome to Hongyan") : localized("Add an Account"),
            description: isFirst
                ? localized("Chat and exchange pictures and voice messages with anyone on any XMPP server.")
                : localized("All your accounts are online at the same time, in one list."), choices)
    }

    // MARK: Pages

    func showSignIn() {
        let view = SignInView(start(actions.signIn()))
        view.onDone = { [weak self] in self?.onDone($0) }
        signIn = view
        show(view.root, "sign-in")
        view.focus()
    }

    /// Opens the sign-in form for an account that requires it.
    func showSignIn(_ model: SignInModel, reason: String?) {
        let view = SignInView(start(model), reason: reason)
        view.onDone = { [weak self] in self?.onDone($0) }
        signIn = view
        show(view.root, "sign-in")
        path = []
        back.isVisible = false
        view.focus()
    }

    func showRegistration(_ invitation: AccountInvitation? = nil) {
        let model = actions.register(invitation)
        models.append(model)
        questions.append(CertificateDialog(model.certificates) { [weak self] in self?.window() })
        let view = RegistrationView(model)
        view.onDone = { [weak self] in self?.created($0) }
        registration = view
        show(view.root, "registration")
        view.focus()
    }

    /// The main window shows the first account.
    private func created(_ id: AccountID) {
        if isFirst { onDone(id) } else { showNewAccount(id) }
    }

    func showNewAccount(_ id: AccountID) {
        let view = NewAccountView(id, actions)
        view.onDone = { [weak self] in self?.onDone(id) }
        view.onProfile = { [weak self] in self?.onProfile(id) }
        newAccount = view
        show(view.root, "new-account")
        // The account is there: there is no way back.
        path = []
        back.isVisible = false
        view.focus()
    }

    func showInvitation() {
        let view = InvitationView()
        view.onInvitation = { [weak self] in self?.open($0) }
        invitation = view
        show(view.root, "invitation")
        view.focus()
    }

    /// Opens an invitation: adds the contact to an existing account, or creates an account.
    func open(_ invitation: AccountInvitation) {
        guard let question = InvitationQuestion(invitation, actions.accounts) else {
            if invitation.provider != nil { return showRegistration(invitation) }
            if self.invitation == nil { showInvitation() }
            self.invitation?.show(
                failure: localized("Sign in or create an account first; then use this link again to add the contact."))
            return
        }
        question.present(
            over: window(),
            add: { [weak self] account in
                self?.actions.accept(invitation, as: account)
                self?.onDone(account)
            }, create: { [weak self] in self?.showRegistration(invitation) })
    }

    private func start(_ model: SignInModel) -> SignInModel {
        models.append(model)
        questions.append(CertificateDialog(model.certificates) { [weak self] in self?.window() })
        return model
    }

    private func show(_ page: Widget, _ name: String) {
        path.append(name)
        let pageName = "\(name)-\(models.count)-\(path.count)"
        stack.add(page, name: pageName)
        pages.append(page)
        stack.shown = pageName
        back.isVisible = true
    }

    private var pages: [Widget] = []

    /// - Returns: `false` on the first page.
    @discardableResult
    private func goBack() -> Bool {
        if path.last == "registration", registration?.goBack() == true { return true }
        guard !path.isEmpty, let page = pages.popLast() else { return false }
        path.removeLast()
        cancelWork()
        stack.shown = "welcome"
        stack.remove(page)
        // The pages before are replaced too, so there is only one way back.
        for page in pages { stack.remove(page) }
        pages = []
        path = []
        back.isVisible = false
        return true
    }

    /// Cancels the current operation.
    func cancelWork() {
        for model in models {
            (model as? SignInModel)?.cancel()
            (model as? RegistrationModel)?.cancel()
        }
        questions = []
        models = []
    }
}

/// The window that adds further accounts, and signs in to accounts that require it.
final class SignInWindow {
    let window: Window
    let flow: SignInFlow
    /// Open windows, which nothing else holds.
    private static var open: [ObjectIdentifier: SignInWindow] = [:]

    private init(_ home: ChatHome, over parent: Window?) {
        flow = SignInFlow(home, isFirst: false)
        window = Window(localized("Add an Account"), width: 460, height: 640, over: parent, flow.root)
        window.minimumSize(width: 340, height: 320)
        window.isModal(parent != nil)
        window.closesOnEscape()
        flow.window = { [weak self] in self?.window }
        flow.onDone = { [weak self] _ in self?.close() }
        flow.onProfile = { [weak self, weak parent, home] id in
            self?.close()
            ProgramPreferencesWindow.show(home, over: parent, account: id)
        }
        window.onCloseRequest { [weak self] in
            self?.closed()
            return false
        }
        Self.open[ObjectIdentifier(self)] = self
    }

    private func close() { window.close() }

    private func closed() {
        flow.cancelWork()
        Self.open[ObjectIdentifier(self)] = nil
    }

    /// Opens the window to add an account.
    ///
    /// - Parameter invitation: to the new account, or one that needs an account first.
    @discardableResult
    static func add(_ home: ChatHome, over parent: Window?, invitation: AccountInvitation? = nil) -> SignInWindow {
        let window = SignInWindow(home, over: parent)
        window.window.present()
        guard let invitation else { return window }
        if invitation.provider != nil { window.flow.showRegistration(invitation) } else { window.flow.open(invitation) }
        return window
    }

    /// Opens the window to sign in to an account again.
    static func signInAgain(_ id: AccountID, _ home: ChatHome, over parent: Window?) {
        Task {
            guard let model = await home.signInAgain(id) else { return }
            let window = SignInWindow(home, over: parent)
            window.window.title = localized("Sign In Again")
            window.window.present()
            window.flow.showSignIn(model, reason: home.accounts.rows[id].flatMap { Wording.need(of: $0) })
        }
    }
}
