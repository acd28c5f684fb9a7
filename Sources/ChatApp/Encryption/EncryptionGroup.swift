internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization

/// The encryption of a conversation on the page of a contact or a room: what happens to the next message, the choice
/// for the conversation, and the way to the devices.
final class EncryptionGroup {
    let root = PreferencesGroup(localized("Encryption"))
    let model: EncryptionModel
    let state = ActionRow()
    let policy = ComboRow(
        localized("Encrypt messages"), choices: PolicyChoice.policies.map { PolicyChoice.title($0) })
    let devices = ActionRow(localized("Devices and Keys"))
    var onDevices: () -> Void = {}
    var showToast: (String) -> Void = { _ in }

    private let name: () -> String
    private let icon = Icon(size: 16)
    private var choosing: Object.Connection?
    private var following: Task<Void, Never>?

    /// - Parameters:
    ///   - name: of the contact or the room.
    ///   - hasDevices: whether there is one account whose devices can be shown.
    init(_ model: EncryptionModel, hasDevices: Bool, name: @escaping () -> String) {
        self.model = model
        self.name = name
        state.prepend(icon)
        devices.append(Icon("go-next-symbolic"))
        for row in [state, policy, devices] as [Widget] { root.add(row) }
        policy.isVisible = model.isAvailable
        devices.isVisible = model.isAvailable && hasDevices
        devices.onActivate { [weak self] in self?.onDevices() }
        choosing = policy.onSelect { [weak self] index in
            guard let self, PolicyChoice.policies.indices.contains(index) else { return }
            self.choose(PolicyChoice.policies[index])
        }
        observe(self) { view in view.show() }
        following = Task { [model] in await model.run() }
    }

    isolated deinit { following?.cancel() }

    func close() {
        following?.cancel()
        following = nil
    }

    private func show() {
        let title = Wording.sign(model.sign)
        state.show(title: title)
        let sentence = Wording.forecast(model.forecast, with: name(), in: model.key.kind)
        let unreadable = model.forecast?.unreadable ?? []
        var lines = unreadable.prefix(Self.limit).map {
            "\(Wording.owner(of: $0, name: name(), in: model.key)): \(Wording.unreadable($0.code))"
        }
        if unreadable.count > lines.count {
            lines.append(
                localized("… and %@ more", plural: "… and %@ more", count: unreadable.count - lines.count))
        }
        state.show(subtitle: ([sentence] + lines).joined(separator: "\n"))
        icon.show(EncryptionButton.icon(model.sign))
        guard let choosing else { return }
        policy.withoutHearing(choosing) {
            policy.selected = PolicyChoice.policies.firstIndex(of: model.choice) ?? 0
        }
    }

    /// The number of devices that are listed as not able to read; the list of devices has all of them.
    private static let limit = 5

    private func choose(_ policy: EncryptionPolicy?) {
        Task { [weak self, model] in
            await model.setPolicy(policy)
            guard let failure = model.failure else { return }
            model.clearFailure()
            self?.showToast(failure)
            self?.show()
        }
    }
}
