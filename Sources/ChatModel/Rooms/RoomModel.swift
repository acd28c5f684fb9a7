public import ChatEngine
public import ChatStore
public import Observation
internal import XMPPAddress

/// Somebody in the list of a room.
public struct RoomPersonRow: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        /// The lasting name where the room gives one (XEP-0421), else the nickname.
        let name: String
        let isLasting: Bool
    }

    public let id: ID
    public let person: RoomState.Person
    /// The picture, for an ``AvatarLoader``.
    public let avatarHash: String?

    public var nickname: String { person.nickname }
    public var standing: RoomState.Standing { person.standing }
}

/// A room as its window shows it: what it is about, who is there, and what this person may do.
///
///     let room = RoomModel(key, store: account.store, environment: environment)
///     await room.follow(account)                      // until the task is cancelled
///     if room.rights.mayKick(row.person) { try await account.kick(row.nickname, from: room.key.address) }
@MainActor
@Observable
public final class RoomModel {
    public let key: ConversationKey
    /// Owners, admins, moderators, members, others, those without a voice; each by name.
    public let people: ObservableList<RoomPersonRow>
    public private(set) var isInside = false
    /// The room was looked at; before that nothing can be said about it.
    public private(set) var isKnown = false
    /// Why not, where this account did not leave by itself.
    public private(set) var absence: RoomAbsence?
    /// It is entered whenever the account connects.
    public private(set) var entersAutomatically = false
    /// Under which the account is, or enters.
    public private(set) var nickname: String?
    /// The room's name, else what its address says.
    public private(set) var title: String
    /// What the room is about, as it last said.
    public private(set) var subject: String?
    /// This person there; `nil` outside.
    public private(set) var own: RoomState.Person?
    /// How many are there, whatever is searched for.
    public private(set) var count = 0
    /// Only those in whose nickname or address all of the words are.
    public private(set) var searchText = ""

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let environment: ModelEnvironment
    @ObservationIgnored private var state = RoomState.outside
    @ObservationIgnored private var book = AddressBook()
    /// The nicknames as they are sorted and searched: made once for each person, not with each change of the room.
    @ObservationIgnored private var folded: [String: FoldedName] = [:]
    /// How many were made, for tests.
    @ObservationIgnored private(set) var foldings = 0

    /// How often the list is shown anew at most, however many come and go.
    static let interval: Duration = .milliseconds(100)

    public init(
        _ key: ConversationKey, store: any LocalStore, environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.key = key
        self.store = store
        self.environment = environment
        title = key.address.unescapedLocal ?? key.address.description
        people = ObservableList(report: environment.report)
    }

    public var rights: RoomRights { RoomRights(own) }

    /// The nicknames of the others, for completion.
    public var nicknames: [String] { state.people.filter { !$0.isOwn }.map(\.nickname) }

    /// Shows the room until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let coalescer = Coalescer(every: Self.interval, clock: environment.clock)
        let events = account.events()
        let changes = store.changes()
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self, key] in
                await coalescer.run {
                    let state = await account.roomState(key.address)
                    await self?.readBook()
                    self?.show(state)
                }
            }
            group.addTask { [key] in
                for await change in changes where change.accounts.contains(key.account) { await coalescer.call() }
            }
            for await event in events {
                switch event {
                case .room(key.address), .connection: coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }

    func readBook() async {
        let found = try? await store.read { reader throws(StoreError) in try AddressBook(reader) }
        if let found { book = found }
    }

    /// Shows only those in whose nickname or address all of the words are.
    public func search(_ text: String) {
        guard text != searchText else { return }
        searchText = text
        display()
    }

    /// What the room is now.
    public func show(_ state: RoomState) {
        self.state = state
        display()
        if !isKnown { isKnown = true }
    }

    private func foldNames() {
        var names: [String: FoldedName] = Dictionary(minimumCapacity: state.people.count)
        for person in state.people where names[person.nickname] == nil {
            if let known = folded[person.nickname] {
                names[person.nickname] = known
            } else {
                foldings += 1
                names[person.nickname] = FoldedName(person.nickname)
            }
        }
        folded = names
    }

    private func display() {
        if isInside != state.isInside { isInside = state.isInside }
        if absence != state.absence { absence = state.absence }
        let kept = book.room(key.address, of: key.account)
        let enters = kept?.joinsAutomatically ?? false
        if entersAutomatically != enters { entersAutomatically = enters }
        let nickname = state.nickname ?? kept?.nickname
        if self.nickname != nickname { self.nickname = nickname }
        let title = book.title(of: key)
        if self.title != title { self.title = title }
        // Outside, what it was about when it was left.
        let subject = state.isInside ? state.subject : kept?.subject
        if self.subject != subject { self.subject = subject }
        if count != state.people.count { count = state.people.count }
        let own = state.people.first(where: \.isOwn)
        if self.own != own { self.own = own }
        foldNames()
        var rows = state.people.map { person in
            let occupant = try? key.address.with(resource: person.nickname)
            return RoomPersonRow(
                id: .init(name: person.id ?? person.nickname, isLasting: person.id != nil), person: person,
                avatarHash: occupant.flatMap { book.avatarHash(ofOccupant: $0, account: key.account) }
                    ?? person.address.flatMap { book.avatarHash(of: $0, account: key.account) })
        }
        if !searchText.isEmpty {
            rows.removeAll { row in
                let address = row.person.address.map { FoldedName($0.description) }
                return !FoldedName.matches(searchText, in: [folded[row.nickname], address].compactMap(\.self))
            }
        }
        rows.sort { left, right in
            if left.standing != right.standing { return left.standing < right.standing }
            if let one = folded[left.nickname], let other = folded[right.nickname], one != other { return one < other }
            return left.nickname < right.nickname
        }
        // Two devices under one lasting name have two nicknames; each is a person in the list.
        var seen: Set<RoomPersonRow.ID> = []
        rows = rows.map { row in
            if seen.insert(row.id).inserted { return row }
            return RoomPersonRow(
                id: .init(name: row.nickname, isLasting: false), person: row.person, avatarHash: row.avatarHash)
        }
        people.show(rows)
    }
}
