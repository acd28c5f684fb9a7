public import ChatEngine
public import ChatStore
public import XMPPAddress

/// One person in the list of contacts.
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
    /// The person's own remark for it, else what the address says.
    public let name: String
    /// Where it stands: online, away, offline.
    public internal(set) var section: ContactPresence.Section
    /// What the contact says about itself.
    public internal(set) var status: String?
    /// The resources of its devices that are there.
    public internal(set) var devices: [String]
    public let subscription: StoredContact.Subscription
    /// Asked, and not answered yet.
    public let isPending: Bool
    public let groups: [String]
    /// The contact's picture, for an ``AvatarLoader``.
    public let avatarHash: String?

    let sortName: FoldedName

    public var address: JID { id.address }

    /// The conversation with this person.
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

    /// All of the words are in its name or its address.
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

/// Somebody who asks to see when this person is there.
public struct ContactRequestRow: Identifiable, Hashable, Sendable {
    public let id: ContactRow.ID
    /// What was said with it.
    public let text: String?
    /// It waited already when the program was ended the last time, and is no news.
    public let isRepeated: Bool

    public var address: JID { id.address }
}

/// An invitation into a room that waits for an answer.
public struct RoomInvitationRow: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        public let account: AccountID
        /// The room's bare address.
        public let room: JID
    }

    public let id: ID
    /// What the room is called.
    public let roomName: String
    /// What the one who invites is called, where that was said.
    public let inviterName: String?
    public let inviter: JID?
    /// What was said with it.
    public let reason: String?

    public var room: JID { id.room }

    /// The conversation of the room.
    public var conversation: ConversationKey {
        ConversationKey(account: id.account, address: id.room, kind: .room)
    }
}
