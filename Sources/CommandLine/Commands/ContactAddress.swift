internal import Localization
internal import XMPPAddress

/// The address of somebody else, as a person types it.
enum ContactAddress {
    /// Without `@` the domain of the own account is appended.
    static func parse(_ text: String, account: JID) throws(CommandError) -> JID {
        let text = text.trimmed
        guard !text.isEmpty else { throw .usage(localized("Whose address? It may not be empty.")) }
        let address: JID
        do {
            address = try text.contains("@") ? JID(text) : JID(local: text, domain: account.domain)
        } catch {
            throw .usage(localized("“%@” is no address. %@", TerminalText.harmless(text), error))
        }
        return address
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    var trimmed: String {
        var rest = Substring(self)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
