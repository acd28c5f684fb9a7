internal import Localization
internal import Roster
internal import TerminalApp
internal import XMPPStanzas

/// A friend as one line, and as JSON.
enum ContactLine {
    /// `nurse@example.org | both | away: back at six`.
    static func text(_ contact: Contact) -> String {
        var line = contact.item.address.description
        if let name = contact.item.name, !name.isEmpty { line = TerminalText.harmless(name) + " <\(line)>" }
        line += " | \(subscription(contact.item)) | \(state(contact))"
        if let status = contact.status, !status.isEmpty { line += ": " + TerminalText.harmless(status) }
        return line
    }

    static func json(_ contact: Contact) -> JSONValue {
        [
            "address": .text(contact.item.address), "name": .text(contact.item.name),
            "subscription": .string(contact.item.subscription.rawValue), "pending": .bool(contact.item.isPending),
            "groups": .array(contact.item.groups.sorted().map(JSONValue.string)),
            "state": .string(contact.section.word), "status": .text(contact.status),
        ]
    }

    static func subscription(_ item: RosterItem) -> String {
        item.isPending ? item.subscription.rawValue + " (" + localized("asked") + ")" : item.subscription.rawValue
    }

    static func state(_ contact: Contact) -> String {
        switch contact.section {
        case .online: localized("online")
        case .away: localized("away")
        case .offline: localized("offline")
        }
    }
}

extension Contact.Section {
    /// The word for programs, the same in every language.
    var word: String {
        switch self {
        case .online: "online"
        case .away: "away"
        case .offline: "offline"
        }
    }
}
