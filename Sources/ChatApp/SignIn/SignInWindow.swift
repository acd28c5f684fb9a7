internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window in which further accounts are added, and those signed in to again that need it.
final class SignInWindow {
    let window: Window
    private let flow: SignInFlow
    /// Windows keep themselves while they are open.
    private static var open: [ObjectIdentifier: SignInWindow] = [:]

    private init(_ home: ChatHome, over parent: Window?) {
        flow = SignInFlow(home, isFirst: false)
        window = Window(localized("Add an account"), width: 460, height: 640, over: parent, flow.root)
        window.isModal(parent != nil)
        flow.window = { [weak self] in self?.window }
        flow.onDone = { [weak self] _ in self?.close() }
        window.onCloseRequest { [weak self] in
            self?.closed()
            return false
        }
        Self.open[ObjectIdentifier(self)] = self
    }

    private func close() { window.close() }

    private func closed() {
        flow.endWork()
        Self.open[ObjectIdentifier(self)] = nil
    }

    /// Adds an account.
    @discardableResult
    static func add(_ home: ChatHome, over parent: Window?, invitation: AccountInvitation? = nil) -> SignInWindow {
        let window = SignInWindow(home, over: parent)
        window.window.present()
        if let invitation { window.flow.open(invitation) }
        return window
    }

    /// Signs in again to an account that needs it.
    static func repeated(_ id: AccountID, _ home: ChatHome, over parent: Window?) {
        Task {
            guard let model = await home.signInAgain(id) else { return }
            let window = SignInWindow(home, over: parent)
            window.window.title = localized("Sign in again")
            window.window.present()
            window.flow.showSignIn(model, reason: home.accounts.rows[id].flatMap { Wording.need(of: $0) })
        }
    }
}
