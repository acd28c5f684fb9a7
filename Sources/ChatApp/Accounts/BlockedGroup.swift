internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The addresses that an account has blocked, each with an Unblock button.
final class BlockedGroup {
    let group = PreferencesGroup(localized("Blocked people"))
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
            ? localized("They are kept by the server, and shown here while the account is online.")
            : shown.isEmpty
                ? localized("Nobody. Whom you do not want to hear from you block on the contact page.")
                : localized("You get nothing from them, and they see you offline.")
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
