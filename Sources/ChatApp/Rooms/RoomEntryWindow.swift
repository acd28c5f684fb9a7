internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window in which a room is entered or made.
final class RoomEntryWindow {
    let window: Window
    let view: RoomEntryView

    private init(_ model: RoomEntryModel, _ context: AppContext) {
        view = RoomEntryView(model)
        window = Window(
            localized("Join a room"), width: 440, height: 620, over: context.window?.window, view.root)
        window.isModal(context.window != nil)
        view.onDone = { [weak self, weak context] key in
            self?.window.close()
            context?.window?.open(key)
        }
        window.onCloseRequest { [weak self] in
            self?.view.close()
            return false
        }
    }

    @discardableResult
    static func show(_ model: RoomEntryModel, _ context: AppContext) -> RoomEntryWindow {
        let entry = RoomEntryWindow(model, context)
        entry.window.keep(entry)
        entry.window.present()
        entry.view.focus()
        return entry
    }

    /// Asks which room it shall be, as one of the accounts; those that are online come first.
    ///
    /// - Parameter text: what is known of it already.
    @discardableResult
    static func show(_ context: AppContext, text: String = "") -> RoomEntryWindow? {
        let rows = context.home.accounts.rows.elements.filter(\.isEnabled)
        let online = rows.filter(\.connection.isOnline) + rows.filter { !$0.connection.isOnline }
        let accounts = online.compactMap { context.home.account($0.id) }
        guard !accounts.isEmpty else {
            context.say(localized("Switch an account on first; without one no room can be entered."))
            return nil
        }
        let model = RoomEntryModel(accounts: accounts)
        model.text = text
        return show(model, context)
    }
}
