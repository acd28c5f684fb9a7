internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Joins and leaves rooms whose address is known. Missing information is asked for in a window, and errors are shown.
struct RoomJoining {
    /// `nil` when the account is not running.
    let account: (AccountID) -> ChatAccount?
    /// Opens a window for the information that the room requires.
    let ask: (RoomEntryModel) -> Void
    let showToast: (String) -> Void

    /// - Parameters:
    ///   - nickname: the previous nickname in the room; `nil` uses the account's name.
    ///   - password: from the invitation.
    /// - Returns: the conversation of the room if it was joined.
    @discardableResult
    func join(
        _ room: JID, as nickname: String? = nil, password: String? = nil, of account: AccountID
    ) async -> ConversationKey? {
        guard let account = self.account(account) else { return nil }
        let model = RoomEntryModel(accounts: [account])
        model.text = room.bare.description
        if let nickname { model.nickname = nickname }
        model.password = password ?? ""
        let key = await model.enter()
        if Task.isCancelled { return key }
        if model.question != nil {
            ask(model)
        } else if key == nil, let failure = model.failure {
            showToast(failure)
        }
        return key
    }

    /// Leaves a room permanently, after a confirmation.
    @discardableResult
    func askToLeave(
        _ key: ConversationKey, title: String, over window: Window?, done: @escaping () -> Void = {}
    ) -> MessageDialog {
        let dialog = MessageDialog(
            localized("Leave %@?", title),
            body: localized(
                "You get no more messages from this room, and your bookmark of it is removed on all devices. What was said stays on this computer."
            ))
        dialog.add("cancel", localized("_Cancel")).add("leave", localized("_Leave"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: window) { answer in
            guard answer == "leave", let account = account(key.account) else { return }
            Task { await account.rooms.leave(key.address) }
            done()
        }
        return dialog
    }
}
