internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The question whether to add the contact of an invitation, and to which account.
final class InvitationQuestion {
    /// In pixels: room for the address of an account in its row.
    private static let accountWidth = 288

    let dialog: MessageDialog
    /// The account that gets the contact; shown when there are several.
    let account: ComboRow?
    private let accounts: [AccountRow]

    /// - Returns: `nil` for an invitation without a contact, and without an account to add it to.
    init?(_ invitation: AccountInvitation, _ accounts: AccountList) {
        let enabled = accounts.rows.elements.filter(\.isEnabled)
        self.accounts = enabled.isEmpty ? accounts.rows.elements : enabled
        guard let contact = invitation.contact, let first = self.accounts.first else { return nil }
        account =
            self.accounts.count > 1
            ? ComboRow(localized("Your account"), choices: self.accounts.map(\.address.description)) : nil
        let address = contact.description
        let name = invitation.contactName ?? address
        let sentence =
            account == nil
            ? localized("The contact is added to your account %@.", first.address)
            : localized("The contact is added to the account that you choose.")
        dialog = MessageDialog(
            localized("Add this contact?"), about: name, address, body: sentence,
            account.map { PreferencesGroup("", description: nil, [$0]).minimumSize(width: Self.accountWidth) })
        dialog.add("cancel", localized("_Cancel"))
        if invitation.provider != nil { dialog.add("create", localized("Create _Another Account")) }
        dialog.add("add", localized("_Add Contact"), .suggested).byDefault("add").onEscape("cancel")
    }

    /// - Parameters:
    ///   - add: called with the account that gets the contact.
    ///   - create: called when the user wants a new account.
    func present(over window: Window?, add: @escaping (AccountID) -> Void, create: @escaping () -> Void) {
        // The closure holds the row, which libadwaita 1.2 requires to live as long as the dialog does.
        dialog.present(over: window) { [account, accounts] answer in
            switch answer {
            case "add":
                let index = account?.selected ?? 0
                if accounts.indices.contains(index) { add(accounts[index].id) }
            case "create": create()
            default: break
            }
        }
    }
}
