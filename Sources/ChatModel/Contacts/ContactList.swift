public import ChatEngine
public import ChatStore
public import GroupChat
public import Observation
internal import Waiting
public import XMPPAddress

/// The contacts of all accounts with their presence, in sections: online, away, offline.
///
/// Contacts come from the store, presence from the accounts. A contact without a subscription is hidden unless it is
/// pending. A contact that comes online is one move, never a reload.
@MainActor
@Observable
public final class ContactList {
    public let rows: ObservableList<ContactRow>
    /// The contact requests to answer.
    public let requests: ObservableList<ContactRequestRow>
    /// The room invitations, oldest first.
    public let invitations: ObservableList<RoomInvitationRow>
    /// The search: only rows whose name or address contains these words; empty shows all.
    public private(set) var searchText = ""
    /// Why reading the store last failed, if it did.
    public private(set) var problem: StoreError?

    /// Called when a contact has answered the user's request.
    @ObservationIgnored public var onAnswer: (ContactRow.ID, ContactAnswer) -> Void = { _, _ in }

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored private let turns = AsyncLock()
    @ObservationIgnored private var book = AddressBook()
    @ObservationIgnored private var contacts: [ContactRow.ID: ContactRow] = [:]
    @ObservationIgnored private var presences: [AccountID: [JID: ContactPresence]] = [:]
    @ObservationIgnored private var asking: [AccountID: [ContactRequest]] = [:]
    @ObservationIgnored private var inviting: [AccountID: [RoomInvitation]] = [:]
    @ObservationIgnored private var roomNames: [AccountID: [JID: String]] = [:]

    public init(store: any LocalStore, environment: ModelEnvironment = ModelEnvironment()) {
        self.store = store
        self.environment = environment
        rows = ObservableList(report: environment.report)
        requests = ObservableList(report: environment.report)
        invitations = ObservableList(report: environment.report)
    }

    /// Reads the contacts and follows the store until the task is cancelled or the store is closed.
    public func run() async {
        let changes = store.changes()
        await reload()
        for await change in changes { await apply(change) }
    }

    public func reload() async { await read(nil) }

    /// Reads these accounts, or all.
    private func read(_ accounts: Set<AccountID>?) async {
        await turns.withLock { [store] in
            do throws(StoreError) {
                let known = self.book
                let book = try await store.read { store throws(StoreError) in
                    if let accounts { try known.reading(accounts, from: store) } else { try AddressBook(store) }
                }
                problem = nil
                guard book != self.book else { return }
                self.book = book
                takeContacts()
                show()
                showInvitations()
            } catch {
                problem = error
            }
        }
    }

    public func apply(_ changes: StoreChanges) async {
        if !changes.accounts.isEmpty { await read(changes.accounts) }
    }

    /// Shows only contacts whose name or address contains all of the words.
    public func search(_ text: String) {
        guard text != searchText else { return }
        searchText = text
        show()
    }

    /// Sets the presence of an account's contacts by bare address; a missing contact is offline.
    public func show(presences now: [JID: ContactPresence], of account: AccountID) {
        let before = presences[account] ?? [:]
        presences[account] = now
        var isDifferent = false
        for address in Set(before.keys).union(now.keys) where before[address] != now[address] {
            guard contacts[.init(account: account, address: address)] != nil else { continue }
            contacts[.init(account: account, address: address)]?.show(now[address])
            isDifferent = true
        }
        if isDifferent { show() }
    }

    /// Sets the contact requests of an account.
    public func show(requests now: [ContactRequest], of account: AccountID) {
        guard asking[account] != now else { return }
        asking[account] = now
        requests.show(
            asking.sorted { $0.key < $1.key }.flatMap { account, requests in
                requests.map {
                    ContactRequestRow(
                        id: .init(account: account, address: $0.address), text: $0.text, isRepeated: $0.isRepeated)
                }
            })
    }

    /// Sets the room invitations of an account.
    ///
    /// - Parameter names: of the rooms, as far as they have said them.
    public func show(invitations now: [RoomInvitation], named names: [JID: String] = [:], of account: AccountID) {
        guard inviting[account] != now || roomNames[account] != names else { return }
        inviting[account] = now
        roomNames[account] = names
        showInvitations()
    }

    private func showInvitations() {
        invitations.show(
            inviting.sorted { $0.key < $1.key }.flatMap { account, invitations in
                invitations.map { invitation in
                    let key = ConversationKey(account: account, address: invitation.room, kind: .room)
                    return RoomInvitationRow(
                        id: .init(account: account, room: invitation.room),
                        roomName: roomNames[account]?[invitation.room] ?? book.title(of: key),
                        inviterName: invitation.inviter.map { inviter in
                            // An inviter known only by an address in the room has just a nickname.
                            inviter.bare == invitation.room
                                ? inviter.resource ?? inviter.description : book.name(of: inviter, account: account)
                        }, inviter: invitation.inviter, reason: invitation.reason)
                }
            })
    }

    /// A contact, regardless of the search.
    public subscript(id: ContactRow.ID) -> ContactRow? { contacts[id] }

    /// All contacts in the order of ``rows``, regardless of the search.
    public var all: [ContactRow] { contacts.values.sorted(by: ContactRow.isBefore) }

    /// The contacts of all accounts whose name or address contains all of the words, regardless of ``searchText``.
    public func find(_ text: String) -> [ContactRow] {
        contacts.values.filter { $0.matches(text) }.sorted(by: ContactRow.isBefore)
    }

    /// The names of all groups of an account's contacts, sorted.
    public func groups(of account: AccountID) -> [String] {
        let names = contacts.values.filter { $0.id.account == account }.flatMap(\.groups)
        return Set(names).sorted { (FoldedName($0), $0) < (FoldedName($1), $1) }
    }

    /// The names of all groups, sorted.
    public var groups: [String] {
        Set(contacts.values.flatMap(\.groups)).sorted { (FoldedName($0), $0) < (FoldedName($1), $1) }
    }

    /// The contacts of an account whose name or address contains all of the words, regardless of ``searchText``.
    public func find(_ text: String, of account: AccountID) -> [ContactRow] {
        contacts.values.filter { $0.id.account == account && $0.matches(text) }.sorted(by: ContactRow.isBefore)
    }

    private func takeContacts() {
        contacts.removeAll(keepingCapacity: true)
        for account in book.accounts.keys {
            for contact in book.contacts(of: account) where contact.subscription != .none || contact.isPending {
                var row = ContactRow(
                    contact, name: book.name(of: contact.address, account: account), account: account,
                    avatarHash: book.avatarHash(of: contact.address, account: account))
                row.show(presences[account]?[contact.address])
                contacts[row.id] = row
            }
        }
    }

    private func show() {
        var shown = Array(contacts.values)
        if !searchText.isEmpty {
            shown.removeAll { !$0.matches(searchText) }
        }
        shown.sort(by: ContactRow.isBefore)
        rows.show(shown)
    }
}
