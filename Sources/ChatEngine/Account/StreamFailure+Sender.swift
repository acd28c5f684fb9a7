internal import Localization
package import XMPPStream

extension StreamFailure {
    /// The maximum number of characters of an address in a message.
    private static let shownAddressLength = 120

    /// The sender of the stanza that broke the stream, for display; `nil` if unknown.
    ///
    /// Addresses contain neither control nor format characters (RFC 8264 §4.3), but they may be long.
    package var senderName: String? {
        guard let name = sender?.description else { return nil }
        return name.count <= Self.shownAddressLength ? name : name.prefix(Self.shownAddressLength) + "…"
    }

    /// Whose stanza broke the stream and what to do about it, in the user's language; `nil` if no stanza did.
    package var senderWords: String? {
        senderName.map {
            localized(
                "The server passed on something unreadable from %@; if this happens again, block this address or ask your provider.",
                $0)
        }
    }
}
