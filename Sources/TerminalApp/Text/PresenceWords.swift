internal import ChatModel
internal import ChatStore
internal import Localization
package import XMPPStanzas

/// How a person appears to contacts, in the words of the terminal.
package enum PresenceWords {
    /// The states by the words that people type; plain "online" has none on the wire (RFC 6121 §4.7.2.1).
    package static let shows: [String: Presence.Show?] = [
        "online": Optional.none, "chat": .chat, "away": .away, "xa": .extendedAway, "dnd": .doNotDisturb,
    ]
}

extension ContactRow {
    /// The subscription as the protocol calls it, and whether a request waits.
    var subscriptionText: String {
        isPending ? subscription.rawValue + " (" + localized("asked") + ")" : subscription.rawValue
    }
}
