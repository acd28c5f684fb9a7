public import ChatEngine
public import ChatStore
public import Observation
public import XMPPAddress

/// With whom a conversation can be started: finds conversations, contacts and public rooms by the typed text, or takes it
/// as an address.
@MainActor
@Observable
public final class NewConversationModel {
    public enum Suggestion: Hashable, Sendable, Identifiable {
        case conversation(ConversationRow)
        /// A contact without a conversation.
        case contact(ContactRow)
        /// A public room of the account's room service that the account has not joined.
        case room(RoomListing)
        /// The typed address of a person.
        case person(JID)
        /// The typed address of a room.
        case roomAddress(JID)

        public enum ID: Hashable, Sendable {
            case conversation(ConversationKey)
            case room(JID)
        }

        public var id: ID {
            switch self {
            case .conversation(let row): .conversation(row.key)
            case .contact(let row): .conversation(row.conversation)
            case .room(let listing): .room(listing.address)
            case .person(let address), .roomAddress(let address): .room(address)
            }
        }
    }

    /// The typed text.
    public var text = ""
    /// Finds the rooms. Its account starts the conversation.
    public let rooms: RoomEntryModel

    @ObservationIgnored private let atWork: [ChatAccount]
    @ObservationIgnored private let conversations: ConversationList
    @ObservationIgnored private let contacts: ContactList
    @ObservationIgnored private let joined: RoomList

    /// More of a kind would push the others out of view; another letter narrows them down.
    static let limit = 6
    /// The number of contacts while nothing is typed.
    static let beginningLimit = 40

    /// - Parameter accounts: not empty.
    public convenience init(accounts: [ChatAccount], home: ChatHome) {
        self.init(
            accounts: accounts, conversations: home.conversations, contacts: home.contacts, joined: home.rooms)
    }

    init(accounts: [ChatAccount], conversations: ConversationList, contacts: ContactList, joined: RoomList) {
        atWork = accounts
        rooms = RoomEntryModel(accounts: accounts)
        self.conversations = conversations
        self.contacts = contacts
        self.joined = joined
    }

    public var accounts: [JID] { rooms.accounts }

    /// The selected account.
    public var accountIndex: Int {
        get { rooms.accountIndex }
        set { rooms.accountIndex = newValue }
    }

    public var account: ChatAccount? { atWork.indices.contains(accountIndex) ? atWork[accountIndex] : atWork.first }

    /// Discovers the public rooms of the account's server, until the task is cancelled.
    public func run() async { await rooms.run() }

    /// The best first; only what belongs to the selected account, which starts the conversation.
    public var suggestions: [Suggestion] {
        guard let account else { return [] }
        let typed = text.trimmingWhitespace
        let known = conversations.all.filter { $0.key.account == account.id }
        guard !typed.isEmpty else {
            return contacts.find("", of: account.id).prefix(Self.beginningLimit).map { row in
                known[row.conversation].map { .conversation($0) } ?? .contact(row)
            }
        }
        var found: [Suggestion] = conversations.find(typed).filter { $0.key.account == account.id }
            .prefix(Self.limit).map { .conversation($0) }
        found += contacts.find(typed, of: account.id).filter { known[$0.conversation] == nil }.prefix(Self.limit).map {
            .contact($0)
        }
        let inside = Set(known.keys.filter { $0.kind == .room }.map(\.address))
        found += rooms.listings.filter { !inside.contains($0.address) && $0.matches(typed) }.prefix(Self.limit)
            .map { .room($0) }
        if let other = typedAddress(typed, as: account, besides: found) { found.append(other) }
        return found
    }

    /// What the text says if it is an address that nothing else stands for.
    private func typedAddress(
        _ typed: String, as account: ChatAccount, besides found: [Suggestion]
    ) -> Suggestion? {
        let addresses = Set(
            found.map { suggestion in
                switch suggestion {
                case .conversation(let row): row.key.address
                case .contact(let row): row.address
                case .room(let listing): listing.address
                case .person(let address), .roomAddress(let address): address
                }
            })
        guard let address = try? ContactAddress.complete(typed, for: account.address), !addresses.contains(address)
        else { return nil }
        let isRoom =
            address.domain == rooms.service?.domain || (try? XMPPURI(typed))?.action == "join"
            || joined.rows[.init(account: account.id, address: address)] != nil
        return isRoom ? .roomAddress(address) : .person(address)
    }

    /// The conversation with a person; `nil` for a room, which must be joined first.
    public func conversation(of suggestion: Suggestion) -> ConversationKey? {
        switch suggestion {
        case .conversation(let row): row.key
        case .contact(let row): row.conversation
        case .person(let address):
            account.map { ConversationKey(account: $0.id, address: address, kind: .direct) }
        case .room, .roomAddress: nil
        }
    }

    /// The room to join; `nil` for a person.
    public func room(of suggestion: Suggestion) -> JID? {
        switch suggestion {
        case .room(let listing): listing.address
        case .roomAddress(let address): address
        case .conversation, .contact, .person: nil
        }
    }
}

extension RoomListing {
    func matches(_ typed: String) -> Bool {
        FoldedName.matches(typed, in: [FoldedName(name), FoldedName(address.description)])
    }
}

extension ConversationRow {
    /// Whether the name or address contains all of the words.
    func matches(_ search: String) -> Bool {
        FoldedName.matches(search, in: [FoldedName(title), FoldedName(key.address.description)])
    }
}
