internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The encryption of an account on its page: whether the account encrypts, and its devices.
final class AccountEncryptionGroup {
    let root = PreferencesGroup(localized("Encryption"))
    let policy = ComboRow(
        localized("Encrypt messages"), subtitle: localized("A change applies when the program starts the next time."),
        choices: AccountEncryptionGroup.policies.map { AccountEncryptionGroup.title($0) })
    let devices = ActionRow(
        localized("Your Keys"), subtitle: localized("The fingerprint of this device, and your other devices"))
    var onDevices: () -> Void = {}
    var showToast: (String) -> Void = { _ in }

    private let id: AccountID
    private let actions: any AccountActions
    private var choosing: Object.Connection?

    static let policies: [EncryptionPolicy?] = [nil, .whenPossible, .always, .never]

    /// - Parameter hasKeys: whether the account encrypts now.
    init(_ id: AccountID, _ actions: any AccountActions, hasKeys: Bool) {
        self.id = id
        self.actions = actions
        devices.append(Icon("go-next-symbolic"))
        root.add(policy)
        root.add(devices)
        devices.isVisible = hasKeys
        devices.onActivate { [weak self] in self?.onDevices() }
        Task { [weak self, weak actions] in
            let known = await actions?.encryptionPolicy(of: id)
            self?.policy.selected = Self.policies.firstIndex(of: known ?? nil) ?? 0
            self?.connect()
        }
    }

    private static func title(_ policy: EncryptionPolicy?) -> String {
        switch policy {
        case nil: localized("Off")
        case .never?: localized("Only decrypt what arrives")
        case .always?, .whenPossible?: policy.map { Wording.policy($0) } ?? ""
        }
    }

    private func connect() {
        choosing = policy.onSelect { [weak self] index in
            guard let self, Self.policies.indices.contains(index) else { return }
            self.save(Self.policies[index])
        }
    }

    private func save(_ policy: EncryptionPolicy?) {
        Task { [weak self, actions, id] in
            do throws(AccountStorageError) {
                try await actions.setEncryption(policy, of: id)
            } catch {
                self?.showToast(error.message)
            }
        }
    }
}
