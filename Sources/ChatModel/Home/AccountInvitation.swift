public import XMPPAddress

/// A link with which somebody is invited: to an account, to be a contact, or to both (XEP-0379, XEP-0401, XEP-0445).
///
///     xmpp:juliet@example.com?register;preauth=TOKEN          an account of that name
///     xmpp:example.com?register;preauth=TOKEN                 an account of any name
///     xmpp:romeo@example.com?roster;preauth=TOKEN;ibr=y       a contact, and an account with the same server
public struct AccountInvitation: Sendable, Hashable {
    /// The server on which an account may be made; `nil` where it is only about a contact.
    public var provider: String?
    /// The name that was kept for the new account.
    public var userName: String?
    /// Who invites, to be a contact.
    public var contact: JID?
    /// What the one who invites is called.
    public var contactName: String?
    /// Proves the invitation.
    public var token: String?

    /// Reads a link as it was pasted or opened.
    ///
    /// - Returns: `nil` where it is no invitation.
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

    /// A web page that stands for the link has it behind the `#` (XEP-0379 §3.3).
    private static func uri(in text: String) -> XMPPURI? {
        if let uri = try? XMPPURI(text) { return uri }
        guard text.hasPrefix("https://"), let mark = text.firstIndex(of: "#") else { return nil }
        return try? XMPPURI("xmpp:" + text[text.index(after: mark)...])
    }
}
