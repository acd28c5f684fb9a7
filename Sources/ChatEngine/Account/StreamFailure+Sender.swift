internal import Localization
package import XMPPStream

extension StreamFailure {
    /// The most characters of an address that a sentence holds: as many as a person reads, and few enough for a line.
    private static let shownAddressLength = 120

    /// The sender of what broke the stream, as a person reads it; `nil` where it is not known.
    ///
    /// Addresses hold neither control nor format characters (RFC 8264 §4.3), but they may be long.
    package var senderName: String? {
        guard let name = sender?.description else { return nil }
        return name.count <= Self.shownAddressLength ? name : name.prefix(Self.shownAddressLength) + "…"
    }

    /// Whose stanza broke the stream and what to do about it, as a sentence in the person's language; `nil` where nobody's
    /// did.
    package var senderWords: String? {
        senderName.map {
            localized(
                "The server passed on something unreadable from %@; if this happens again, block this address or ask your provider.",
                $0)
        }
    }
}
