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
            return localized("Has not answered yet")
        }
        guard let status = row.status, !status.isEmpty else { return row.address.description }
        return status
    }

    /// Which of the two sees the presence of the other.
    static func subscription(_ model: ContactModel) -> String {
        let name = model.name
        switch (model.subscription, model.isPending) {
        case (.both, _): return localized("You and %@ see when the other one is online.", name)
        case (.to, _): return localized("You see when %1$@ is online. %1$@ does not see when you are.", name)
        case (.from, false): return localized("%1$@ sees when you are online. You do not see when %1$@ is.", name)
        case (.from, true):
            return localized(
                "%1$@ sees when you are online. You asked for the same, and %1$@ has not answered yet.", name)
        case (.none, true): return localized("You asked %1$@ to be your contact. %1$@ has not answered yet.", name)
        case (.none, false): return localized("%@ is not one of your contacts.", name)
        }
    }

    /// The label of the button that changes the subscription; `nil` when there is nothing to change.
    static func request(_ model: ContactModel) -> String? {
        if model.isBlocked || model.request != nil { return nil }
        switch (model.subscription, model.isPending) {
        case (.both, _), (.to, _): return nil
        case (_, true): return localized("Ask _again")
        case (.from, false): return localized("_Ask")
        case (.none, false): return localized("_Add to contacts")
        }
    }

    /// What is known about the typed address.
    ///
    /// - Parameter domain: of the account's server, used when only a name was typed.
    static func check(_ check: ContactAdditionModel.Check, domain: String) -> String {
        switch check {
        case .empty: localized("A name alone is somebody on %@.", domain)
        case .invalid: localized("This is not an address yet.")
        case .own: localized("This is your own address.")
        case .alreadyContact(let address, let name):
            name == address.description
                ? localized("%@ is one of your contacts already.", name)
                : localized("%1$@ is one of your contacts already: %2$@", name, address)
        case .pending(let address): localized("You have asked %@ already. You can ask once more.", address)
        case .asking(let address): localized("%@ has asked you, too: adding says yes.", address)
        case .new(let address): localized("%@ is asked, and sees your message.", address)
        }
    }
}
