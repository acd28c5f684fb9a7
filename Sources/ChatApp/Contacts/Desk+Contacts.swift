internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

extension Desk {
    /// Shows the page of a contact, or of anybody else who was talked to.
    func showContact(_ id: ContactRow.ID) {
        ContactWindow.show(id, self, over: window?.window)
    }

    /// Asks for the address of somebody who shall be a contact.
    ///
    /// - Parameter text: an address or a part of one that was typed already.
    func addContact(_ text: String = "") {
        ContactAdditionWindow.show(text, self, over: window?.window)
    }

    /// The accounts that can be talked as, in the order of the list: those that are switched on, or all where none is.
    var talkingAccounts: [ChatAccount] {
        let rows = home.accounts.rows.elements
        let enabled = rows.filter(\.isEnabled)
        return (enabled.isEmpty ? rows : enabled).compactMap { home.account($0.id) }
    }
}
