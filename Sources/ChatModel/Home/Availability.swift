public import ChatEngine
internal import XMPPStanzas

/// How a person wants to be seen, as it is chosen from a list.
public enum Availability: String, Sendable, Hashable, Codable, CaseIterable {
    case available, away, doNotDisturb
    /// Connected, but shown as gone.
    case invisible

    /// - Parameter status: what the person says about it.
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
    /// How the person wants to be seen; kept for the next start.
    public var availability: Availability { preferences.values.availability }

    /// What the person says about itself; `nil` for nothing.
    public var statusText: String? { preferences.values.statusText }

    /// Shows the person in another way, on all accounts.
    public func show(_ availability: Availability, saying status: String?) async {
        let status = status?.trimmingWhitespace ?? ""
        preferences.values.availability = availability
        preferences.values.statusText = status.isEmpty ? nil : status
        await setPresence(availability.presence(saying: preferences.values.statusText))
    }
}
