public import XMPPAddress

/// An invitation link: to an account, to a contact, or to both (XEP-0379, XEP-0401, XEP-0445).
///
///     xmpp:juliet@example.com?register;preauth=TOKEN          an account of that name
///     xmpp:example.com?register;preauth=TOKEN                 an account of any name
///     xmpp:romeo@example.com?roster;preauth=TOKEN;ibr=y       a contact, and an account with the same server
public struct AccountInvitation: Sendable, Hashable {
    /// The server that allows registration; `nil` for an invitation to a contact only.
    public var provider: String?
    /// The user name reserved for the new account.
    public var userName: String?
    /// The contact that sent the invitation.
    public var contact: JID?
    /// The name of the contact that sent the invitation.
    public var contactName: String?
    /// The token that authenticates the invitation.
    public var token: String?

    /// Parses a pasted or opened link.
    ///
    /// - Returns: `nil` if it is not an invitation.
    public init?(_ text: String) {
        guard let uri = Self.uri(in: text.trimmingWhitespace), let address = uri.address else { return nil }
        func value(_ key: String) -> String? {
            uri.parameters.first { $0.key == key }.map(\.value).flatMap { $0.isEmpty ? nil : $0 }
        }
        token = value("preauth")
        switch uri.action {
        case "register":
            provider = address.domain
            userName = address.local
        case "roster":
            guard address.local != nil else { return nil }
            contact = address.bare
            contactName = value("name")
            if value("ibr") == "y" { provider = address.domain }
        default: return nil
        }
    }

    /// A web page for the invitation has the link in its fragment (XEP-0379 §3.3).
    private static func uri(in text: String) -> XMPPURI? {
        if let uri = try? XMPPURI(text) { return uri }
        guard text.hasPrefix("https://"), let mark = text.firstIndex(of: "#") else { return nil }
        return try? XMPPURI("xmpp:" + text[text.index(after: mark)...])
    }
}
