internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Creates the views about encryption.
extension AppContext {
    /// The encryption of a conversation; `nil` when the account is not running.
    func encryptionModel(of key: ConversationKey) -> EncryptionModel? {
        home.account(key.account).map { account in
            EncryptionModel(
                key, service: encryption(account), events: { account.events() }, environment: home.environment)
        }
    }

    /// The devices of an address as an account sees them; `nil` without encryption.
    func deviceListModel(of address: JID, as id: AccountID) -> DeviceListModel? {
        guard let account = home.account(id), let service = encryption(account) else { return nil }
        return DeviceListModel(
            address, own: account.address, service: service, events: { account.events() },
            environment: home.environment)
    }

    /// The group about encryption on the page of a contact or a room; `nil` when the account is not running.
    ///
    /// - Parameter window: the window of the page.
    func encryptionGroup(
        of key: ConversationKey, name: @escaping () -> String, window: @escaping () -> Window?
    ) -> EncryptionGroup? {
        guard let model = encryptionModel(of: key) else { return nil }
        let group = EncryptionGroup(model, hasDevices: key.kind == .direct, name: name)
        group.onDevices = { [weak self] in
            self?.showDevices(of: key.address, name: name(), as: key.account, over: window())
        }
        return group
    }

    @discardableResult
    func showDevices(of address: JID, name: String, as account: AccountID, over parent: Window?) -> DevicesWindow? {
        guard let model = deviceListModel(of: address, as: account) else {
            showToast(localized("This account does not use encryption. You can turn it on in its settings."))
            return nil
        }
        return DevicesWindow.show(model, name: name, home.environment, over: parent)
    }

    /// Asks whether to verify the keys of a link that was opened.
    func open(_ request: VerificationRequest) {
        let rows = home.accounts.rows.elements
        let contact = home.contacts.rows.elements.first { $0.address == request.account }
        let own = rows.first { $0.address == request.account }
        guard let account = own?.id ?? contact?.id.account ?? rows.first(where: \.isEnabled)?.id ?? rows.first?.id,
            let devices = showDevices(
                of: request.account, name: contact?.name ?? request.account.description, as: account,
                over: window?.window)
        else { return }
        devices.view.confirm(request)
    }
}
