internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The page of one account: profile, connection, password, blocked addresses, and signing out.
final class AccountView {
    let root: Widget
    /// Called when the page should be closed: by its button, or because the account was removed.
    var onClose: () -> Void = {}

    let id: AccountID
    private let actions: any AccountActions
    private let signInAgain: () -> Void
    private let window: () -> Window?
    private let title = WindowTitle("")
    private let profile: ProfileView
    private let state = ActionRow(localized("Connection"))
    private let connect = Button(localized("_Connect Now")).align(vertical: .center)
    private let repair = Button(localized("_Sign In Again")).css("suggested-action").align(vertical: .center)
    let share = ActionRow(
        localized("Share your address…"), subtitle: localized("As text, QR code and invitation link"))
    private(set) var sharing: ShareWindow?
    let commands = ActionRow(localized("Commands of the server"))
    private let enabled = SwitchRow(localized("Use this account"))
    /// `nil` when the account is not running.
    let blocked: BlockedGroup?
    let encryption: AccountEncryptionGroup
    private var enabling: Object.Connection?
    private lazy var seconds = SecondTicker { [weak self] in self?.show() }

    /// - Parameter signInAgain: opens the sign-in form for the account.
    init(
        _ id: AccountID, _ actions: any AccountActions, window: @escaping () -> Window?,
        signInAgain: @escaping () -> Void
    ) {
        self.id = id
        self.actions = actions
        self.signInAgain = signInAgain
        self.window = window
        profile = ProfileView(id, actions, window: window)
        blocked = actions.account(id).map { BlockedGroup($0) }
        encryption = AccountEncryptionGroup(hasKeys: actions.account(id)?.encryption != nil) { [weak actions] in
            await actions?.settings(of: id)?.encryptionPolicy() ?? nil
        } save: { [weak actions] policy throws(AccountStorageError) in
            try await actions?.settings(of: id)?.setEncryption(policy)
        }
        let header = HeaderBar(title: title)
        header.showsWindowButtons(start: false, end: false)
        let back = Button(icon: "go-previous-symbolic").named(localized("Back"))
        header.prepend(back)
        let password = ActionRow(localized("Change the password…"))
        password.append(Icon("go-next-symbolic"))
        for row in [share, commands] { row.append(Icon("go-next-symbolic")) }
        share.isVisible = actions.account(id) != nil
        commands.isVisible = actions.account(id) != nil
        let remove = Button(localized("Sign _Out and Remove…")).css("destructive-action", "pill")
            .align(horizontal: .center).margins(start: 0, end: 0, top: 6, bottom: 6)
        let delete = Button(localized("_Delete the Account on the Server…")).css("destructive-action", "flat")
            .align(horizontal: .center)
        for button in [remove, delete] { button.wrap() }
        state.append(connect)
        state.append(repair)
        let page = PreferencesPage(
            "", icon: nil,
            profile.groups + [
                PreferencesGroup("", description: nil, [enabled, state, share]),
                PreferencesGroup("", description: nil, [password, commands]), encryption.root,
            ] + [blocked?.group].compactMap { $0 } + [PreferencesGroup("", description: nil, [remove, delete])])
        root = Box.vertical(header, page.expand(.vertical))
        blocked?.showToast = { [weak self] in self?.showToast($0) }
        encryption.showToast = { [weak self] in self?.showToast($0) }
        encryption.onDevices = { [weak self] in self?.showDevices() }
        back.onClick { [weak self] in self?.onClose() }
        connect.onClick { [weak actions] in Task { await actions?.connectNow(id) } }
        repair.onClick { [weak self] in self?.signInAgain() }
        enabling = enabled.onToggle { [weak actions] isOn in Task { await actions?.setEnabled(isOn, id) } }
        share.onActivate { [weak self] in self?.shareAddress() }
        password.onActivate { [weak self] in self?.changePassword() }
        commands.onActivate { [weak self] in self?.showCommands() }
        remove.onClick { [weak self] in self?.remove() }
        delete.onClick { [weak self] in self?.deleteOnServer() }
        observe(self) { view in view.show() }
    }

    private func show() {
        guard let row = actions.accounts.rows[id] else { return onClose() }
        title.show(title: row.address.description)
        state.show(subtitle: Wording.account(row, now: actions.environment.now()))
        repair.isVisible = row.need != nil
        connect.isVisible = row.isEnabled && row.need == nil && row.connection.isWaiting
        if let enabling { enabled.control.withoutHearing(enabling) { enabled.isActive = row.isEnabled } }
        seconds.run(row.nextAttempt != nil)
    }

    private func shareAddress() {
        guard let account = actions.account(id) else { return }
        let view = ShareWindow(actions.invitation(to: [account]), over: window())
        sharing = view
        view.present()
    }

    // MARK: Password

    func changePassword() {
        let first = PasswordEntryRow(localized("New password"))
        let second = PasswordEntryRow(localized("Confirm password"))
        let group = PreferencesGroup("", description: nil, [first, second])
        let dialog = MessageDialog(
            localized("Change the Password"),
            body: localized("The password is changed on the server; your other devices must sign in again with it."),
            group)
        dialog.add("cancel", localized("_Cancel")).add("change", localized("C_hange"), .suggested)
            .byDefault("change").onEscape("cancel")
        dialog.setEnabled("change", false)
        let check = { [weak first, weak second, weak dialog] in
            guard let first, let second else { return }
            dialog?.setEnabled("change", !first.text.isEmpty && first.text == second.text)
            second.isWrong(!second.text.isEmpty && first.text != second.text)
        }
        first.onChange { _ in check() }
        second.onChange { _ in check() }
        dialog.present(over: window()) { [weak self, weak first] answer in
            let password = first?.text
            self?.passwordQuestion = nil
            if answer == "change", let self, let password { self.change(to: password) }
        }
        // The rows are read while the user types and when the dialog responds. After that only GTK holds the dialog.
        passwordQuestion = (dialog, first, second)
    }

    private(set) var passwordQuestion: (dialog: MessageDialog, first: PasswordEntryRow, second: PasswordEntryRow)?

    private func change(to password: String) {
        Task { [weak self, actions, id] in
            do throws(SignInFailure) {
                try await actions.settings(of: id)?.changePassword(to: password)
                self?.showToast(localized("The password is changed."))
            } catch {
                self?.showToast(error.message)
            }
        }
    }

    /// Deletes the account on its server, after its address was typed.
    private func deleteOnServer() {
        guard let row = actions.accounts.rows[id] else { return }
        guard row.connection.isOnline else {
            return showToast(localized("This needs a connection; try again when the account is online."))
        }
        let field = EntryRow(localized("Address"))
        let dialog = MessageDialog(
            localized("Delete %@ permanently?", row.address),
            body: localized(
                "The account, its contacts and the messages stored on the server are deleted, and everything on this computer. Nobody can restore them. Type the address of the account to confirm."
            ), PreferencesGroup("", description: nil, [field]))
        dialog.add("cancel", localized("_Cancel")).add("delete", localized("_Delete Permanently"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.setEnabled("delete", false)
        field.onChange { [weak dialog] text in dialog?.setEnabled("delete", text == row.address.description) }
        dialog.present(over: window()) { [weak self] answer in
            self?.deletionQuestion = nil
            guard answer == "delete", let self else { return }
            Task { [weak self, actions = self.actions, id = self.id] in
                do throws(SignInFailure) {
                    try await actions.deleteOnServer(id)
                    self?.onClose()
                } catch {
                    self?.showToast(error.message)
                }
            }
        }
        // Its button is enabled while the user types. libadwaita 1.2 requires the row to live as long as the dialog does.
        deletionQuestion = (dialog, field)
    }

    private var deletionQuestion: (dialog: MessageDialog, field: EntryRow)?

    /// Opens what the server offers to this account, such as the administration of the server.
    private func showCommands() {
        guard let account = actions.account(id) else { return }
        CommandWindow(
            CommandModel(account.address.domainJID, account: account), name: account.address.domain, over: window()
        ).present()
    }

    private func showDevices() {
        guard let account = actions.account(id),
            let model = DeviceListModel(account.address, account: account, environment: actions.environment)
        else { return }
        DevicesWindow.show(
            model, name: account.address.description, actions.environment, over: window())
    }

    private func showToast(_ message: String) {
        if let window = window() as? PreferencesWindow { window.show(Toast(message)) }
    }

    // MARK: Removal

    private func remove() {
        guard let row = actions.accounts.rows[id] else { return }
        let dialog = MessageDialog(
            localized("Remove %@ from this computer?", row.address),
            body: localized(
                "All its messages, pictures and files on this computer are deleted, and the password is removed. Everything stays on the server and with others; you can sign in again."
            ))
        dialog.add("cancel", localized("_Cancel")).add("remove", localized("_Remove"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window()) { [weak self] answer in
            guard answer == "remove", let self else { return }
            Task { [actions = self.actions, id = self.id] in await actions.remove(id) }
            self.onClose()
        }
    }
}

/// The addresses that an account has blocked, each with an Unblock button.
final class BlockedGroup {
    let group = PreferencesGroup(localized("Blocked People"))
    let model: BlockedModel
    /// Shows an error.
    var showToast: (String) -> Void = { _ in }

    private(set) var rows: [JID: (row: ActionRow, button: Button)] = [:]
    private var shown: [BlockedModel.Entry] = []
    private var following: Task<Void, Never>?

    init(_ account: ChatAccount) {
        model = BlockedModel(account)
        observe(self) { view in view.show() }
        following = Task { [model] in await model.run() }
    }

    isolated deinit { following?.cancel() }

    /// The text under the heading, for tests.
    private(set) var message: String? {
        didSet { if message != oldValue { group.show(description: message) } }
    }

    private func show() {
        if model.entries != shown {
            for entry in shown { if let known = rows.removeValue(forKey: entry.address) { group.remove(known.row) } }
            shown = model.entries
            for entry in shown { add(entry) }
        }
        for (address, row) in rows {
            row.button.isSensitive = model.isOnline && !model.working.contains(address)
        }
        message =
            !model.isOnline
            ? localized("The list is stored on the server, and shown here while the account is online.")
            : shown.isEmpty
                ? localized("Nobody is blocked. You can block people from their contact page.")
                : localized("You receive nothing from them, and they see you as offline.")
    }

    private func add(_ entry: BlockedModel.Entry) {
        let address = entry.address
        let row = ActionRow(entry.name, subtitle: entry.name == address.description ? nil : address.description)
        let button = Button(localized("_Unblock")).align(vertical: .center)
        button.accessible(label: localized("Unblock %@", entry.name))
        button.onClick { [weak self] in
            guard let self else { return }
            Task { [model = self.model, showToast = self.showToast] in
                await model.unblock(address)
                if let failure = model.failure {
                    model.clearFailure()
                    showToast(failure)
                }
            }
        }
        row.append(button)
        group.add(row)
        rows[address] = (row, button)
    }
}
