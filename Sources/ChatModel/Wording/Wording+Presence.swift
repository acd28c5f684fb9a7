public import ChatEngine
public import ChatStore
public import Foundation
internal import Localization
internal import XMPPClient
public import XMPPStanzas

/// Texts about presence and roles in rooms.
extension Wording {
    public static func presence(_ section: ContactPresence.Section) -> String {
        switch section {
        case .online: localized("online")
        case .away: localized("away")
        case .offline: localized("offline")
        }
    }

    /// A section with the status text.
    public static func presence(_ section: ContactPresence.Section, _ status: String?) -> String {
        guard let status, !status.isEmpty else { return presence(section) }
        return "\(presence(section)) · \(status)"
    }

    /// When a contact who is offline was online last.
    public static func lastSeen(_ time: MessageTime, now: Date = Date(), calendar: Calendar = .current) -> String {
        if calendar.isDate(time.date, inSameDayAs: now) { return localized("last seen today at %@", clock(time)) }
        if let yesterday = calendar.date(byAdding: .day, value: -1, to: now),
            calendar.isDate(time.date, inSameDayAs: yesterday)
        {
            return localized("last seen yesterday at %@", clock(time))
        }
        return localized("last seen: %@", full(time))
    }

    /// Since when a contact has done nothing.
    public static func idle(since time: MessageTime, now: Date = Date(), calendar: Calendar = .current) -> String {
        calendar.isDate(time.date, inSameDayAs: now)
            ? localized("idle since %@", clock(time)) : localized("idle since: %@", full(time))
    }

    /// The presence of a contact on its page: with the status text, and when it was active or online last.
    @MainActor
    public static func presence(of contact: ContactModel) -> String {
        let parts = [
            contact.presence?.status, contact.idleSince.map { idle(since: $0) }, contact.lastSeen.map { lastSeen($0) },
        ]
        return presence(contact.section, parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " · "))
    }

    /// The heading of a section.
    public static func heading(_ section: ContactPresence.Section) -> String {
        switch section {
        case .online: localized("Online")
        case .away: localized("Away")
        case .offline: localized("Offline")
        }
    }

    /// The presence of a device (RFC 6121 §4.7.2.1).
    public static func presence(_ show: Presence.Show?) -> String {
        switch show {
        case nil: localized("online")
        case .chat: localized("wants to chat")
        case .away: localized("away")
        case .extendedAway: localized("away for longer")
        case .doNotDisturb: localized("busy")
        }
    }

    /// What a line of a contact's profile is.
    public static func kind(_ kind: ContactCard.Kind) -> String {
        switch kind {
        case .name: localized("Name")
        case .organization: localized("Organization")
        case .email: localized("Email")
        case .telephone: localized("Phone")
        case .page: localized("Web page")
        case .birthday: localized("Birthday")
        case .note: localized("Note")
        }
    }

    /// One device of a contact with its status text.
    public static func device(_ device: ContactDevice) -> String {
        let word =
            switch device.availability {
            case .chatty: presence(.chat)
            case .available: presence(nil)
            case .away: presence(.away)
            case .extendedAway: presence(.extendedAway)
            case .busy: presence(.doNotDisturb)
            }
        guard let status = device.status else { return word }
        return "\(word) · \(status)"
    }

    /// The user's own availability.
    public static func availability(_ availability: Availability) -> String {
        switch availability {
        case .available: localized("Available")
        case .away: localized("Away")
        case .doNotDisturb: localized("Do Not Disturb")
        case .invisible: localized("Invisible")
        }
    }

    /// The user's own state while no account is online.
    public static func ownOffline(_ accounts: [AccountRow]) -> String {
        accounts.contains { if case .connecting = $0.connection { true } else { false } }
            ? localized("Connecting…") : localized("You are offline")
    }

    /// What a contact has answered.
    public static func answer(_ answer: ContactAnswer, of name: String) -> String {
        switch answer {
        case .accepted: localized("%@ accepted your contact request.", name)
        case .declined: localized("%@ declined your contact request.", name)
        case .ended: localized("%@ no longer shares status with you.", name)
        }
    }
}
