internal import ChatEngine
internal import ChatModel
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

    private let save: (EncryptionPolicy?) async throws(AccountStorageError) -> Void
    private var choosing: Object.Connection?

    static let policies: [EncryptionPolicy?] = [nil, .whenPossible, .always, .never]

    /// - Parameters:
    ///   - hasKeys: whether the account encrypts now.
    ///   - saved: reads the saved policy; `nil` if the encryption is off.
    ///   - save: saves another one.
    init(
        hasKeys: Bool, saved: @escaping () async -> EncryptionPolicy?,
        save: @escaping (EncryptionPolicy?) async throws(AccountStorageError) -> Void
    ) {
        self.save = save
        devices.append(Icon("go-next-symbolic"))
        root.add(policy)
        root.add(devices)
        devices.isVisible = hasKeys
        devices.onActivate { [weak self] in self?.onDevices() }
        Task { [weak self] in
            let known = await saved()
            self?.policy.selected = Self.policies.firstIndex(of: known) ?? 0
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
            self.change(to: Self.policies[index])
        }
    }

    private func change(to policy: EncryptionPolicy?) {
        Task { [weak self, save] in
            do throws(AccountStorageError) {
                try await save(policy)
            } catch {
                self?.showToast(error.message)
            }
        }
    }
}
