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
