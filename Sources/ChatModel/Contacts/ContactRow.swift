public import ChatEngine
public import ChatStore
public import XMPPAddress

/// A contact in the contact list.
public struct ContactRow: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        public let account: AccountID
        /// The bare address.
        public let address: JID

        public init(account: AccountID, address: JID) {
            self.account = account
            self.address = address.bare
        }
    }

    public let id: ID
    /// The name that the user gave to the contact, else the one that it gave itself, else one from the address.
    public let name: String
    /// The section of the list: online, away or offline.
    public internal(set) var section: ContactPresence.Section
    /// The contact's status text.
    public internal(set) var status: String?
    /// The resources of the contact's online devices.
    public internal(set) var devices: [String]
    public let subscription: StoredContact.Subscription
    /// A contact request was sent and not answered yet.
    public let isPending: Bool
    public let groups: [String]
    /// The hash of the avatar, for an ``AvatarLoader``.
    public let avatarHash: String?

    let sortName: FoldedName

    public var address: JID { id.address }

    /// The conversation with the contact.
    public var conversation: ConversationKey {
        ConversationKey(account: id.account, address: id.address, kind: .direct)
    }

    init(_ contact: StoredContact, name: String, account: AccountID, avatarHash: String? = nil) {
        self.avatarHash = avatarHash
        id = ID(account: account, address: contact.address)
        self.name = name
        section = .offline
        devices = []
        subscription = contact.subscription
        isPending = contact.isPending
        groups = contact.groups
        sortName = FoldedName(name)
    }

    mutating func show(_ presence: ContactPresence?) {
        section = presence?.section ?? .offline
        status = presence?.status
        devices = presence?.devices ?? []
    }

    /// Whether the name or address contains all of the words.
    func matches(_ search: String) -> Bool {
        FoldedName.matches(search, in: [sortName, FoldedName(address.description)])
    }

    /// Online before away before offline, then by name, the same in every locale.
    static func isBefore(_ left: ContactRow, _ right: ContactRow) -> Bool {
        if left.section != right.section { return left.section < right.section }
        if left.sortName != right.sortName { return left.sortName < right.sortName }
        return (left.id.address, left.id.account) < (right.id.address, right.id.account)
    }
}

/// A request to see the user's presence.
public struct ContactRequestRow: Identifiable, Hashable, Sendable {
    public let id: ContactRow.ID
    /// The message of the request.
    public let text: String?
    /// It was pending already when the program last ended, and is not new.
    public let isRepeated: Bool

    public var address: JID { id.address }
}

/// A room invitation to answer.
public struct RoomInvitationRow: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        public let account: AccountID
        /// The room's bare address.
        public let room: JID
    }

    public let id: ID
    /// The name of the room.
    public let roomName: String
    /// The name of the inviter, if known.
    public let inviterName: String?
    public let inviter: JID?
    /// The message of the invitation.
    public let reason: String?

    public var room: JID { id.room }

    /// The conversation of the room.
    public var conversation: ConversationKey {
        ConversationKey(account: id.account, address: id.room, kind: .room)
    }
}
