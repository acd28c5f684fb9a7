internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Enters a room whose address is known, and leaves it: what it asks back is asked in a window, and what fails is shown.
struct RoomJoining {
    /// `nil` where the account is not at work.
    let account: (AccountID) -> ChatAccount?
    /// Asks in a window what the room wants to know first.
    let ask: (RoomEntryModel) -> Void
    let say: (String) -> Void

    /// - Parameters:
    ///   - nickname: under which this person was there before; `nil` for the account's own name.
    ///   - password: what an invitation has brought along.
    /// - Returns: the room's conversation, where this person is inside now.
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
            say(failure)
        }
        return key
    }

    /// Asks before a room is left for good.
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
