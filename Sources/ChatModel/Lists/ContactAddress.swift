public import XMPPAddress

/// What a person typed to add somebody, made an address.
///
///     try ContactAddress.complete("romeo", for: juliet)                  // romeo@capulet.example
///     try ContactAddress.complete("xmpp:romeo@montague.example", for: juliet)
public enum ContactAddress {
    /// Why it cannot be added.
    public enum Refusal: Error, Hashable, Sendable {
        case empty
        case invalid(AddressError)
        /// It is the person's own address.
        case own
        /// It is in the list already.
        case alreadyContact(JID)
    }

    /// The address that is meant, of anybody: with the resource of an occupant, where one is given.
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

    /// The bare address that is meant. A name alone is taken to be on the own server.
    ///
    /// - Parameters:
    ///   - account: the own address; its domain completes a name.
    ///   - contacts: bare addresses that are in the list.
    public static func complete(
        _ text: String, for account: JID, contacts: Set<JID> = []
    ) throws(Refusal) -> JID {
        let address = try parse(text, for: account).bare
        guard address != account.bare else { throw .own }
        guard !contacts.contains(address) else { throw .alreadyContact(address) }
        return address
    }

    /// Addresses are pasted with what stands around them.
    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace || first == "<" { text.removeFirst() }
        while let last = text.last, last.isWhitespace || last == ">" { text.removeLast() }
        return String(text)
    }
}
