public import XMPPStanzas

/// How this account shows itself to its contacts (RFC 6121 §4.7).
public struct OwnPresence: Hashable, Sendable {
    /// `nil` is available.
    public var show: Presence.Show?
    /// What the person says about it.
    public var status: String?
    /// Connected, but shown as gone.
    public var isHidden: Bool

    public init(show: Presence.Show? = nil, status: String? = nil, isHidden: Bool = false) {
        self.show = show
        self.status = status
        self.isHidden = isHidden
    }

    var stanza: Presence {
        isHidden ? Presence(type: .unavailable) : Presence(show: show, status: status)
    }
}
