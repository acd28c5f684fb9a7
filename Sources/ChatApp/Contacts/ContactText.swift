internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// The texts about the relationship between the user and a contact.
enum ContactText {
    /// The second line of a row: the status text, that the contact has not answered, or the address.
    static func line(_ row: ContactRow) -> String {
        if row.isPending, row.subscription == .none || row.subscription == .from {
            return localized("No response yet")
        }
        guard let status = row.status, !status.isEmpty else { return row.address.description }
        return status
    }

    /// Which of the two sees the presence of the other.
    static func subscription(_ model: ContactModel) -> String {
        let name = model.name
        switch (model.subscription, model.isPending) {
        case (.both, _): return localized("You and %@ can see each other's status.", name)
        case (.to, _): return localized("You see when %1$@ is online. %1$@ does not see when you are.", name)
        case (.from, false): return localized("%1$@ sees when you are online. You do not see when %1$@ is.", name)
        case (.from, true):
            return localized(
                "%1$@ sees when you are online. You have requested the same, and %1$@ has not responded yet.", name)
        case (.none, true): return localized("You have sent %1$@ a contact request. %1$@ has not responded yet.", name)
        case (.none, false): return localized("%@ is not one of your contacts.", name)
        }
    }

    /// The label of the button that changes the subscription; `nil` when there is nothing to change.
    static func request(_ model: ContactModel) -> String? {
        if model.isBlocked || model.request != nil { return nil }
        switch (model.subscription, model.isPending) {
        case (.both, _), (.to, _): return nil
        case (_, true): return localized("Ask _Again")
        case (.from, false): return localized("_Ask")
        case (.none, false): return localized("_Add to Contacts")
        }
    }

    /// What is known about the typed address.
    ///
    /// - Parameter domain: of the account's server, used when only a name was typed.
    static func check(_ check: ContactAdditionModel.Check, domain: String) -> String {
        switch check {
        case .empty: localized("A name alone means a user of %@.", domain)
        case .invalid: localized("This isn't a valid address yet.")
        case .own: localized("This is your own address.")
        case .alreadyContact(let address, let name):
            name == address.description
                ? localized("%@ is already one of your contacts.", name)
                : localized("%1$@ is already one of your contacts: %2$@", name, address)
        case .pending(let address): localized("You have already sent %@ a request. You can send it again.", address)
        case .asking(let address): localized("%@ has also sent you a request: adding accepts it.", address)
        case .new(let address): localized("%@ gets a request with your message.", address)
        }
    }
}
