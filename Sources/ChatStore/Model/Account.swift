public import XMPPAddress

/// An account of this person. Passwords and tokens are not kept here.
public struct Account: Hashable, Sendable, Identifiable {
    public let id: AccountID
    public let address: JID
    public var isEnabled: Bool
    public var displayName: String?
    /// The version of the contacts that are kept here (RFC 6121 §2.6); `nil` before the first complete list.
    public var rosterVersion: String?
    /// Until when this device was online, to a minute: what a server kept for it is newer. `nil` before the first session.
    public package(set) var lastOnline: MessageTime?

    package init(
        id: AccountID, address: JID, isEnabled: Bool, displayName: String?, rosterVersion: String?,
        lastOnline: MessageTime? = nil
    ) {
        self.id = id
        self.address = address
        self.isEnabled = isEnabled
        self.displayName = displayName
        self.rosterVersion = rosterVersion
        self.lastOnline = lastOnline
    }
}

/// A contact as the server's roster has it (RFC 6121 §2.1.2). Presence is not kept.
public struct StoredContact: Hashable, Sendable, Codable {
    public enum Subscription: String, Sendable, Codable {
        case none, to, from, both
    }

    public var address: JID
    public var name: String?
    public var subscription: Subscription
    /// A request of ours is waiting for an answer (`ask='subscribe'`).
    public var isPending: Bool
    /// A request of theirs was allowed beforehand.
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

/// A room that this account knows (XEP-0045, XEP-0402). Its password is not kept here.
public struct StoredRoom: Hashable, Sendable, Codable {
    public var address: JID
    public var nickname: String?
    public var name: String?
    public var subject: String?
    public var joinsAutomatically: Bool
    /// Our own lasting name there (XEP-0421).
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

/// The picture of a contact or occupant; its data is kept once for all who have the same (XEP-0084 §4.2).
public struct StoredAvatar: Hashable, Sendable, Codable {
    /// The SHA-1 of the data in lower-case hexadecimal digits, as the protocol names it.
    public var hash: String
    public var mediaType: String
    public var data: [UInt8]

    public init(hash: String, mediaType: String, data: [UInt8]) {
        self.hash = hash
        self.mediaType = mediaType
        self.data = data
    }
}
