public import ChatEngine
internal import XMPPStanzas

/// The user's availability as chosen from a menu.
public enum Availability: String, Sendable, Hashable, Codable, CaseIterable {
    case available, away, doNotDisturb
    /// Connected, but shown as offline.
    case invisible

    /// - Parameter status: the user's status text.
    public func presence(saying status: String?) -> OwnPresence {
        let show: Presence.Show? =
            switch self {
            case .available, .invisible: nil
            case .away: .away
            case .doNotDisturb: .doNotDisturb
            }
        return OwnPresence(show: show, status: status, isHidden: self == .invisible)
    }
}

extension ChatHome {
    /// The user's availability; saved in the preferences.
    public var availability: Availability { preferences.values.availability }

    /// The user's status text; `nil` if there is none.
    public var statusText: String? { preferences.values.statusText }

    /// Changes the presence of all accounts.
    public func show(_ availability: Availability, saying status: String?) async {
        let status = status?.trimmingWhitespace ?? ""
        preferences.values.availability = availability
        preferences.values.statusText = status.isEmpty ? nil : status
        await setPresence(availability.presence(saying: preferences.values.statusText))
    }
}
