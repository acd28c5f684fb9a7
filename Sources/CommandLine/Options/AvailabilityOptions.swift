internal import Localization
internal import Roster
internal import TerminalApp
internal import XMPPStanzas

/// How the person appears to friends, and which contact requests need no question.
struct AvailabilityOptions {
    var presence: Presence
    var policy = RosterPolicy()

    static let options: [OptionParser.Option] = [
        .init("show", value: "online|chat|away|xa|dnd", "appear like this to contacts"),
        .init("status", value: "TEXT", "and with this text"),
        .init("accept", value: "known|all|none", "accept contact requests of these without asking (known)"),
    ]

    init(_ options: OptionParser.Result) throws(CommandError) {
        presence = Presence()
        if let text = options["show"] {
            guard let show = PresenceWords.shows[text] else {
                throw .usage(localized("“%@” is no state; choose online, chat, away, xa or dnd.", text))
            }
            presence.show = show
        }
        if let status = options["status"] { presence.status = status }
        switch options["accept"] ?? "known" {
        case "known": policy.acceptsKnownRequests = true
        case "all": policy.acceptsAllRequests = true
        case "none": policy.acceptsKnownRequests = false
        case let other: throw .usage(localized("“%@” is no choice of --accept; it is known, all or none.", other))
        }
    }
}
