internal import ChatStore
internal import Foundation
internal import XMPPAddress

/// What everybody is called: one moment of the accounts, contacts and rooms of a store.
struct AddressBook: Sendable, Equatable {
    var accounts: [AccountID: Account] = [:]
    private var contacts: [AccountID: [JID: StoredContact]] = [:]
    private var rooms: [AccountID: [JID: StoredRoom]] = [:]
    private var avatars: [AccountID: [JID: String]] = [:]

    init() {}

    init(_ store: any StoreReader) throws(StoreError) {
        for account in try store.accounts() {
            accounts[account.id] = account
            contacts[account.id] = Dictionary(
                try store.contacts(of: account.id).map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
            rooms[account.id] = Dictionary(
                try store.rooms(of: account.id).map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
            avatars[account.id] = try store.avatarHashes(of: account.id)
        }
    }

    func contacts(of account: AccountID) -> some Collection<StoredContact> { (contacts[account] ?? [:]).values }

    func rooms(of account: AccountID) -> some Collection<StoredRoom> { (rooms[account] ?? [:]).values }

    func contact(_ address: JID, of account: AccountID) -> StoredContact? { contacts[account]?[address.bare] }

    func room(_ address: JID, of account: AccountID) -> StoredRoom? { rooms[account]?[address.bare] }

    /// The picture of a contact, room or occupant.
    func avatarHash(of address: JID, account: AccountID) -> String? {
        avatars[account].flatMap { $0[address] ?? $0[address.bare] }
    }

    func avatarHash(ofOccupant address: JID, account: AccountID) -> String? { avatars[account]?[address] }

    /// The name of a conversation: the remark or name given to it, else what its address says.
    func title(of key: ConversationKey) -> String {
        switch key.kind {
        case .direct: name(of: key.address, account: key.account)
        case .room: roomName(key.address, of: key.account)
        case .occupant: "\(key.address.resource ?? "") (\(roomName(key.address, of: key.account)))"
        }
    }

    private func roomName(_ address: JID, of account: AccountID) -> String {
        Self.nonEmpty(room(address, of: account)?.name) ?? address.unescapedLocal ?? address.bare.description
    }

    /// What a contact is called.
    func name(of address: JID, account: AccountID) -> String {
        if let name = Self.nonEmpty(contact(address, of: account)?.name) { return name }
        if let own = accounts[account], own.address == address.bare, let name = Self.nonEmpty(own.displayName) {
            return name
        }
        return address.unescapedLocal ?? address.bare.description
    }

    /// What the author of a message in a conversation is called; the room itself by the room's name.
    func author(_ sender: JID, in key: ConversationKey) -> String {
        switch key.kind {
        case .direct: name(of: sender, account: key.account)
        case .room, .occupant:
            if let own = accounts[key.account], own.address == sender.bare {
                ownNickname(in: key) ?? name(of: sender, account: key.account)
            } else {
                sender.resource ?? roomName(sender, of: key.account)
            }
        }
    }

    func ownNickname(in key: ConversationKey) -> String? {
        key.kind == .direct ? nil : Self.nonEmpty(room(key.address, of: key.account)?.nickname)
    }

    /// The address stands for this account in the conversation.
    func isOwn(_ sender: JID, in key: ConversationKey) -> Bool {
        if accounts[key.account]?.address == sender.bare { return true }
        guard let nickname = ownNickname(in: key) else { return false }
        return sender.bare == key.address.bare && sender.resource == nickname
    }

    private static func nonEmpty(_ name: String?) -> String? {
        guard let name, name.contains(where: { !$0.isWhitespace }) else { return nil }
        return name
    }
}

/// A name as it is sorted and found: without case, width and accents, the same in every locale.
struct FoldedName: Hashable, Comparable, Sendable {
    let text: String

    init(_ name: String) {
        text = name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Every word of the search is somewhere in one of the names.
    static func matches(_ search: String, in names: [FoldedName]) -> Bool {
        FoldedName(search).text.split(whereSeparator: \.isWhitespace).allSatisfy { word in
            names.contains { $0.text.contains(word) }
        }
    }
}
