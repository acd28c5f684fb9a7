internal import AccountRegistration
internal import XMPPAddress

/// An invitation that the server has created for the user (XEP-0401).
public struct IssuedInvitation: Sendable, Hashable {
    /// An `xmpp:` link.
    public let link: String
    /// A web page with the same link, for people without a program.
    public let page: String?
    /// Whether people without an account can create one with it.
    public let createsAccounts: Bool

    /// A QR code of a longer link is too dense for a camera.
    private static let lengthLimit = 512

    /// - Returns: `nil` if the link is invalid, or is about another account.
    init?(uri text: String?, page: String?, of account: JID) {
        guard let text, text.utf8.count <= Self.lengthLimit, let uri = try? XMPPURI(text) else { return nil }
        switch uri.action {
        case "roster": guard uri.address?.bare == account.bare else { return nil }
        case "register": guard uri.address?.domain == account.domain else { return nil }
        default: return nil
        }
        link = text
        createsAccounts = uri.action == "register" || uri["ibr"] == "y"
        self.page = page.flatMap { $0.hasPrefix("https://") && $0.utf8.count <= Self.lengthLimit ? $0 : nil }
    }
}
