public import ChatEngine
internal import Localization
public import XMPPStanzas

/// Who is there, and what people are in a room.
extension Wording {
    public static func presence(_ section: ContactPresence.Section) -> String {
        switch section {
        case .online: localized("online")
        case .away: localized("away")
        case .offline: localized("offline")
        }
    }

    /// With what the person says about it.
    public static func presence(_ section: ContactPresence.Section, _ status: String?) -> String {
        guard let status, !status.isEmpty else { return presence(section) }
        return "\(presence(section)) · \(status)"
    }

    /// Over those of whom it is true.
    public static func heading(_ section: ContactPresence.Section) -> String {
        switch section {
        case .online: localized("Online")
        case .away: localized("Away")
        case .offline: localized("Offline")
        }
    }

    /// As a device says it (RFC 6121 §4.7.2.1).
    public static func presence(_ show: Presence.Show?) -> String {
        switch show {
        case nil: localized("online")
        case .chat: localized("would like to talk")
        case .away: localized("away")
        case .extendedAway: localized("away for longer")
        case .doNotDisturb: localized("busy")
        }
    }

    /// One device of a contact, with what it says.
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

    /// As one shows oneself.
    public static func availability(_ availability: Availability) -> String {
        switch availability {
        case .available: localized("Available")
        case .away: localized("Away")
        case .doNotDisturb: localized("Do not disturb")
        case .invisible: localized("Invisible")
        }
    }
}
