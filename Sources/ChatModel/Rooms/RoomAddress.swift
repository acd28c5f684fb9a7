public import XMPPAddress

/// What a person typed to enter or make a room, made an address.
///
///     RoomAddress.complete("orchard", at: service)                               // orchard@rooms.capulet.example
///     RoomAddress.complete("xmpp:orchard@rooms.capulet.example?join", at: nil)   // as a link says it
public enum RoomAddress {
    /// The address that is meant; `nil` where it is none. A name alone is taken to be at the service.
    public static func complete(_ text: String, at service: JID?) -> JID? {
        var typed = text.trimmingWhitespace
        if typed.first == "<", typed.last == ">" { typed = String(typed.dropFirst().dropLast()) }
        guard !typed.isEmpty else { return nil }
        if typed.utf8.prefix(5).elementsEqual("xmpp:".utf8) {
            guard let address = (try? XMPPURI(typed))?.address, address.local != nil else { return nil }
            return address.bare
        }
        if let at = typed.firstIndex(of: "@"), at > typed.startIndex { return (try? JID(typed))?.bare }
        guard let service, typed.first != "@" else { return nil }
        // What a person calls a room has spaces and capital letters; an address has neither.
        let name = typed.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: "-")
        return try? JID(escapingLocal: name, domain: service.domain)
    }
}
