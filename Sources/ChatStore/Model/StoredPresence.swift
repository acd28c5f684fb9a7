public import XMPPAddress

/// What somebody's device last said about being there, or that somebody asks to see this account's presence.
///
/// Who is there is kept only as long as the session can be resumed: after a resumption the server does not say it again
/// (XEP-0198 §5), and a process that takes the session over would know nobody. Who asks is kept until the next session, in which
/// the server repeats it (RFC 6121 §3.1.3): by that it is known not to be news.
public struct StoredPresence: Hashable, Sendable {
    public enum Kind: Int, Sendable {
        /// The device is there (RFC 6121 §4.7.1).
        case available = 0
        /// Somebody waits for an answer (RFC 6121 §3.1.3).
        case request = 1
    }

    /// The full address of a device; the bare one of who asks.
    public var address: JID
    public var kind: Kind
    /// The word of `<show/>`; `nil` is available.
    public var show: String?
    public var status: String?
    /// −128 to 127.
    public var priority: Int

    public init(
        address: JID, kind: Kind = .available, show: String? = nil, status: String? = nil, priority: Int = 0
    ) {
        self.address = address
        self.kind = kind
        self.show = show
        self.status = status
        self.priority = priority
    }
}
