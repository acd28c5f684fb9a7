public import XMPPAddress

/// What happened to the list of blocked addresses, on this device or on another one.
public enum BlockingEvent: Sendable, Hashable {
    /// The whole list came from the server.
    case populated(Set<JID>)
    case blocked(Set<JID>)
    case unblocked(Set<JID>)
}
