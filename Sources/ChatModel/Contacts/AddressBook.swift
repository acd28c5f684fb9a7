package import ChatStore
internal import Foundation
package import XMPPAddress

/// The names of all addresses: a snapshot of the accounts, contacts and rooms of a store.
package struct AddressBook: Sendable, Equatable {
    var accounts: [AccountID: Account] = [:]
    private var contacts: [AccountID: [JID: StoredContact]] = [:]
    private var rooms: [AccountID: [JID: StoredRoom]] = [:]
    private var avatars: [AccountID: [JID: String]] = [:]
    private var publishedNames: [AccountID: [JID: String]] = [:]

    package init() {}

    init(_ store: any StoreReader) throws(StoreError) {
        let accounts = Set(try store.accounts().map(\.id))
        self = try AddressBook().reading(accounts, from: store)
    }

    /// The names that one account knows.
    package init(_ store: any StoreReader, of account: AccountID) throws(StoreError) {
        self = try AddressBook().reading([account], from: store)
    }

    /// The same book with these accounts read again; the contacts of all others are not read.
    func reading(_ changed: Set<AccountID>, from store: any StoreReader) throws(StoreError) -> AddressBook {
        var book = self
        book.accounts = Dictionary(try store.accounts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for account in changed.union(accounts.keys) where book.accounts[account] == nil {
            book.contacts[account] = nil
            book.rooms[account] = nil
            book.avatars[account] = nil
            book.publishedNames[account] = nil
        }
        for account in changed where book.accounts[account] != nil {
            book.contacts[account] = Dictionary(
                try store.contacts(of: account).map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
            book.rooms[account] = Dictionary(
                try store.rooms(of: account).map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
            book.avatars[account] = try store.avatarHashes(of: account)
            book.publishedNames[account] = try store.publishedNames(of: account)
        }
        return book
    }

    func contacts(of account: AccountID) -> some Collection<StoredContact> { (contacts[account] ?? [:]).values }

    func rooms(of account: AccountID) -> some Collection<StoredRoom> { (rooms[account] ?? [:]).values }

    func contact(_ address: JID, of account: AccountID) -> StoredContact? { contacts[account]?[address.bare] }

    func room(_ address: JID, of account: AccountID) -> StoredRoom? { rooms[account]?[address.bare] }

    /// The hash of the avatar of a contact, room or occupant.
    func avatarHash(of address: JID, account: AccountID) -> String? {
        avatars[account].flatMap { $0[address] ?? $0[address.bare] }
    }

    func avatarHash(ofOccupant address: JID, account: AccountID) -> String? { avatars[account]?[address] }

    /// The title of a conversation: the name given to it, else one from its address.
    package func title(of key: ConversationKey) -> String {
        switch key.kind {
        case .direct: name(of: key.address, account: key.account)
        case .room: roomName(key.address, of: key.account)
        case .occupant: "\(key.address.resource ?? "") (\(roomName(key.address, of: key.account)))"
        }
    }

    private func roomName(_ address: JID, of account: AccountID) -> String {
        Self.nonEmpty(room(address, of: account)?.name) ?? address.unescapedLocal ?? address.bare.description
    }

    /// The name of a contact: the one that the user gave, else the one that the contact gave itself, else one from the
    /// address.
    func name(of address: JID, account: AccountID) -> String {
        if let name = Self.nonEmpty(contact(address, of: account)?.name) { return name }
        if let own = accounts[account], own.address == address.bare, let name = Self.nonEmpty(own.displayName) {
            return name
        }
        return Self.nonEmpty(publishedNames[account]?[address.bare]) ?? address.unescapedLocal
            ?? address.bare.description
    }

    /// The name of a message's author. The room itself has the name of the room.
    package func author(_ sender: JID, in key: ConversationKey) -> String {
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

    private static func nonEmpty(_ name: String?) -> String? {
        guard let name, name.contains(where: { !$0.isWhitespace }) else { return nil }
        return name
    }
}

/// A name for sorting and searching: without case, width and accents, the same in every locale.
struct FoldedName: Hashable, Comparable, Sendable {
    let text: String

    init(_ name: String) {
        text = name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Whether every word of the search occurs in one of the names.
    static func matches(_ search: String, in names: [FoldedName]) -> Bool {
        FoldedName(search).text.split(whereSeparator: \.isWhitespace).allSatisfy { word in
            names.contains { $0.text.contains(word) }
        }
    }
}
