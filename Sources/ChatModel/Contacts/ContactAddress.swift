public import XMPPAddress

/// Turns what a user typed to add a contact into an address.
///
///     try ContactAddress.complete("romeo", for: juliet)                  // romeo@capulet.example
///     try ContactAddress.complete("xmpp:romeo@montague.example", for: juliet)
public enum ContactAddress {
    /// Why an address cannot be added.
    public enum Refusal: Error, Hashable, Sendable {
        case empty
        case invalid(AddressError)
        /// It is the user's own address.
        case own
        /// It is in the contact list already.
        case alreadyContact(JID)
    }

    /// The typed address of any person or occupant: the resource is kept where one is given.
    public static func parse(_ text: String, for account: JID) throws(Refusal) -> JID {
        let typed = trimmed(text[...])
        guard !typed.isEmpty else { throw .empty }
        if typed.utf8.prefix(5).elementsEqual("xmpp:".utf8), let uri = try? XMPPURI(typed), let address = uri.address {
            return address
        }
        do throws(AddressError) {
            if let at = typed.firstIndex(of: "@"), at > typed.startIndex { return try JID(typed) }
            return try JID(escapingLocal: typed, domain: account.domain)
        } catch {
            throw .invalid(error)
        }
    }

    /// The bare address of the typed text. A name without a domain is completed with the account's domain.
    ///
    /// - Parameters:
    ///   - account: the account's own address.
    ///   - contacts: the bare addresses in the contact list.
    public static func complete(
        _ text: String, for account: JID, contacts: Set<JID> = []
    ) throws(Refusal) -> JID {
        let address = try parse(text, for: account).bare
        guard address != account.bare else { throw .own }
        guard !contacts.contains(address) else { throw .alreadyContact(address) }
        return address
    }

    /// Removes the punctuation that is often pasted with an address.
    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace || first == "<" { text.removeFirst() }
        while let last = text.last, last.isWhitespace || last == ">" { text.removeLast() }
        return String(text)
    }
}
