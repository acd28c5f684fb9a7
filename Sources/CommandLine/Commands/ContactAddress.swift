internal import Localization
internal import TerminalApp
internal import XMPPAddress

/// The address of somebody else, as a person types it.
enum ContactAddress {
    /// Without `@` the domain of the own account is appended.
    static func parse(_ text: String, account: JID) throws(CommandError) -> JID {
        let text = text.trimmed
        guard !text.isEmpty else { throw .usage(localized("The address may not be empty.")) }
        let address: JID
        do {
            address = try text.contains("@") ? JID(text) : JID(local: text, domain: account.domain)
        } catch {
            throw .usage(localized("“%@” is not an address. %@", TerminalText.harmless(text), error))
        }
        return address
    }
}
