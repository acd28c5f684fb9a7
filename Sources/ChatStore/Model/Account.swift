public import XMPPAddress

/// An account of the user. Passwords and tokens are not stored here.
public struct Account: Hashable, Sendable, Identifiable {
    public let id: AccountID
    public let address: JID
    public var isEnabled: Bool
    public var displayName: String?
    /// The version of the stored roster (RFC 6121 §2.6); `nil` before the first complete roster.
    public var rosterVersion: String?
    /// When this device was last online, to the minute: messages that a server stored offline are newer. `nil` before
    /// the first session.
    public internal(set) var lastOnline: MessageTime?
}

/// A contact of the server's roster (RFC 6121 §2.1.2), without presence.
public struct StoredContact: Hashable, Sendable, Codable {
    public enum Subscription: String, Sendable, Codable {
        case none, to, from, both
    }

    public var address: JID
    public var name: String?
    public var subscription: Subscription
    /// Our subscription request is pending (`ask='subscribe'`).
    public var isPending: Bool
    /// The contact's subscription request was approved in advance.
    public var isApproved: Bool
    public var groups: [String]

    public init(
        address: JID, name: String? = nil, subscription: Subscription = .none, isPending: Bool = false,
        isApproved: Bool = false, groups: [String] = []
    ) {
        self.address = address.bare
        self.name = name
        self.subscription = subscription
        self.isPending = isPending
        self.isApproved = isApproved
        self.groups = groups
    }
}

/// A room of this account (XEP-0045, XEP-0402). Its password is not stored here.
public struct StoredRoom: Hashable, Sendable, Codable {
    public var address: JID
    public var nickname: String?
    public var name: String?
    public var subject: String?
    public var joinsAutomatically: Bool
    /// Our occupant id in the room (XEP-0421).
    public var occupantID: String?

    public init(
        address: JID, nickname: String? = nil, name: String? = nil, subject: String? = nil,
        joinsAutomatically: Bool = false, occupantID: String? = nil
    ) {
        self.address = address.bare
        self.nickname = nickname
        self.name = name
        self.subject = subject
        self.joinsAutomatically = joinsAutomatically
        self.occupantID = occupantID
    }
}

/// The avatar of a contact or occupant; equal data is stored once (XEP-0084 §4.2).
public struct StoredAvatar: Hashable, Sendable, Codable {
    /// The SHA-1 of the data in lower-case hexadecimal digits, as in the protocol.
    public var hash: String
    public var mediaType: String
    public var data: [UInt8]

    public init(hash: String, mediaType: String, data: [UInt8]) {
        self.hash = hash
        self.mediaType = mediaType
        self.data = data
    }
}

/// Identifies an account in its store.
public struct AccountID: Hashable, Comparable, Sendable, Codable, RawRepresentable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The last presence of a device, or a pending request to see this account's presence.
///
/// Available devices are stored only while the session can be resumed, because the server does not repeat their
/// presence after a resumption (XEP-0198 §5). Requests are stored until the next session, in which the server repeats
/// them (RFC 6121 §3.1.3), so that a repeated request is recognised.
public struct StoredPresence: Hashable, Sendable {
    public enum Kind: Int, Sendable {
        /// The device is available (RFC 6121 §4.7.1).
        case available = 0
        /// A request that was not answered yet (RFC 6121 §3.1.3).
        case request = 1
    }

    /// The full address of a device, or the bare address of the requesting account.
    public var address: JID
    public var kind: Kind
    /// The text of `<show/>`; `nil` means available.
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
