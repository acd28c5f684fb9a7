internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Creates the views about encryption.
final class EncryptionViews {
    /// The encryption of an account; `nil` if it has none. Tests replace it.
    var service: (ChatAccount) -> (any EncryptionService)? = { $0.encryption }
    var showToast: (String) -> Void = { _ in }
    private let home: ChatHome

    init(_ home: ChatHome) { self.home = home }

    /// The encryption of a conversation; `nil` when the account is not running.
    func model(of key: ConversationKey) -> EncryptionModel? {
        home.account(key.account).map { account in
            EncryptionModel(
                key, service: service(account), events: { account.events() }, environment: home.environment)
        }
    }

    private func devices(of address: JID, as id: AccountID) -> DeviceListModel? {
        guard let account = home.account(id), let found = service(account) else { return nil }
        return DeviceListModel(
            address, own: account.address, service: found, events: { account.events() },
            environment: home.environment)
    }

    /// The group about encryption on the page of a contact or a room; `nil` when the account is not running.
    ///
    /// - Parameter window: the window of the page.
    func group(
        of key: ConversationKey, name: @escaping () -> String, window: @escaping () -> Window?
    ) -> EncryptionGroup? {
        guard let encryption = model(of: key) else { return nil }
        let group = EncryptionGroup(encryption, hasDevices: key.kind == .direct, name: name)
        group.onDevices = { [weak self] in
            self?.showDevices(of: key.address, name: name(), as: key.account, over: window())
        }
        return group
    }

    @discardableResult
    func showDevices(of address: JID, name: String, as account: AccountID, over parent: Window?) -> DevicesWindow? {
        guard let model = devices(of: address, as: account) else {
            showToast(localized("This account does not use encryption. You can turn it on in its settings."))
            return nil
        }
        return DevicesWindow.show(model, name: name, home.environment, over: parent)
    }
}
