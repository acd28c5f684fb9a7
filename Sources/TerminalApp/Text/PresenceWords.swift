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

    static func text(_ show: Presence.Show?) -> String {
        switch show {
        case nil: localized("online")
        case .chat: localized("wants to chat")
        case .away: localized("away")
        case .extendedAway: localized("away for longer")
        case .doNotDisturb: localized("busy")
        }
    }
}

extension ContactRow {
    /// Whether the contact is there, in one word.
    var stateText: String {
        switch section {
        case .online: localized("online")
        case .away: localized("away")
        case .offline: localized("offline")
        }
    }

    /// The subscription as the protocol calls it, and whether a request waits.
    var subscriptionText: String {
        isPending ? subscription.rawValue + " (" + localized("asked") + ")" : subscription.rawValue
    }
}
