public import ChatEngine
public import ChatStore
public import Observation
internal import XMPPAddress

/// A person in the list of a room.
public struct RoomPersonRow: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        /// The occupant id, if the room assigns one (XEP-0421), else the nickname.
        let name: String
        let isLasting: Bool
    }

    public let id: ID
    public let person: RoomState.Person
    /// The hash of the avatar, for an ``AvatarLoader``.
    public let avatarHash: String?

    public var nickname: String { person.nickname }
    public var standing: RoomState.Standing { person.standing }
}

/// A room as its window shows it: subject, people, and what the user is allowed to do.
///
///     let room = RoomModel(key, store: account.store, environment: environment)
///     await room.follow(account)                      // until the task is cancelled
///     if room.rights.mayKick(row.person) { try await account.rooms.kick(row.nickname, from: room.key.address) }
@MainActor
@Observable
public final class RoomModel {
    public let key: ConversationKey
    /// Owners, admins, moderators, members, others, people without voice; each sorted by nickname.
    public let people: ObservableList<RoomPersonRow>
    public private(set) var isInside = false
    /// Whether the state of the room is known yet.
    public private(set) var isKnown = false
    /// Why the account is not in the room, unless the user left it.
    public private(set) var absence: RoomAbsence?
    /// Whether it is joined whenever the account connects.
    public private(set) var joinsAutomatically = false
    /// The account's nickname in the room, or the one to join with.
    public private(set) var nickname: String?
    /// The room's name, else one from the address.
    public private(set) var title: String
    /// The last subject of the room.
    public private(set) var subject: String?
    /// The user in the room; `nil` when not joined.
    public private(set) var own: RoomState.Person?
    /// The number of people in the room, regardless of the search.
    public private(set) var count = 0
    /// The hashes of the pictures of the people in the room, by nickname: of the occupant, else of the account that the room
    /// reveals.
    public private(set) var avatars: [String: String] = [:]
    /// The nicknames of those who may address everybody.
    private var callers: Set<String> = []
    /// The search: only people whose nickname or address contains these words.
    public private(set) var searchText = ""

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let environment: ModelEnvironment
    @ObservationIgnored private var state = RoomState.outside
    @ObservationIgnored private var book = AddressBook()
    /// Of the listing that is shown.
    @ObservationIgnored private var folded: [String: FoldedName] = [:]
    /// The number of folded nicknames and of listings, for tests.
    @ObservationIgnored private(set) var foldings = 0
    @ObservationIgnored private(set) var listings = 0

    /// The minimum time between two updates of the list.
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

    /// Whether a person in the room may address everybody; the user for `nil`.
    public func mayAddressEverybody(_ nickname: String? = nil) -> Bool {
        nickname.map { callers.contains($0) } ?? own?.mayAddressEverybody ?? false
    }

    /// The nicknames of the others, for completion.
    public var nicknames: [String] { state.people.filter { !$0.isOwn }.map(\.nickname) }

    /// Follows the room until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let coalescer = Coalescer(every: Self.interval, clock: environment.clock)
        let events = account.events()
        let changes = store.changes()
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self, key] in
                await coalescer.run {
                    let state = await account.rooms.state(of: key.address)
                    await self?.readBook()
                    await self?.arrange(state)
                }
            }
            group.addTask { [key] in
                for await change in changes where change.accounts.contains(key.account) { coalescer.call() }
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
        let (known, account) = (book, key.account)
        let found = try? await store.read { reader throws(StoreError) in try known.reading([account], from: reader) }
        if let found { book = found }
    }

    /// Shows only people whose nickname or address contains all of the words.
    public func search(_ text: String) {
        guard text != searchText else { return }
        searchText = text
        display(listing())
    }

    /// Sets the state of the room.
    public func show(_ state: RoomState) {
        self.state = state
        display(listing())
        if !isKnown { isKnown = true }
    }

    /// The same, with the listing computed off the main actor.
    private func arrange(_ state: RoomState) async {
        self.state = state
        let before = listings
        let listing = await RoomPeopleListing.make(
            state.people, in: key, book, folded: folded, search: searchText, shown: people.elements)
        // A faster search has shown this state already.
        if listings == before { display(listing) }
        if !isKnown { isKnown = true }
    }

    private func listing() -> RoomPeopleListing {
        RoomPeopleListing(state.people, in: key, book, folded: folded, search: searchText, shown: people.elements)
    }

    private func display(_ listing: RoomPeopleListing) {
        listings += 1
        if isInside != state.isInside { isInside = state.isInside }
        if absence != state.absence { absence = state.absence }
        let kept = book.room(key.address, of: key.account)
        let enters = kept?.joinsAutomatically ?? false
        if joinsAutomatically != enters { joinsAutomatically = enters }
        let nickname = state.nickname ?? kept?.nickname
        if self.nickname != nickname { self.nickname = nickname }
        let title = book.title(of: key)
        if self.title != title { self.title = title }
        // Outside of the room, the subject at the time of leaving.
        let subject = state.isInside ? state.subject : kept?.subject
        if self.subject != subject { self.subject = subject }
        if count != state.people.count { count = state.people.count }
        let own = state.people.first(where: \.isOwn)
        if self.own != own { self.own = own }
        if avatars != listing.avatars { avatars = listing.avatars }
        if callers != listing.callers { callers = listing.callers }
        folded = listing.folded
        foldings += listing.foldings
        people.show(listing.rows, listing.diff)
    }
}

/// What the user may do in a room according to role and affiliation (XEP-0045 §5.1.1, §5.2.1). The room may still
/// refuse it.
public struct RoomRights: Hashable, Sendable {
    private let own: RoomState.Person?

    package init(_ own: RoomState.Person?) { self.own = own }

    /// Whether the user is an admin or owner.
    private var isAdmin: Bool { own.map { $0.standing <= .admin } ?? false }
    private var isModerator: Bool { own.map { $0.isModerator || $0.standing <= .admin } ?? false }

    /// A room may let everybody change the subject, so everybody with voice may try.
    public var mayChangeSubject: Bool { own?.hasVoice ?? false }
    public var mayInvite: Bool { own != nil }
    public var mayRetractOthersMessages: Bool { isModerator }
    public var isOwner: Bool { own?.standing == .owner }
    /// Whether this account may change who has which standing.
    public var mayChangeStandings: Bool { isAdmin }

    /// Whether this account may kick a person: not one with a higher affiliation, and admins and owners cannot kick
    /// each other (XEP-0045 §8.2).
    public func mayKick(_ person: RoomState.Person) -> Bool {
        isModerator && !person.isOwn && !outranks(person)
    }

    /// Bans apply to the account, which must be known, and are permanent (XEP-0045 §9.1).
    public func mayBan(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && !outranks(person)
    }

    public func mayGrantVoice(to person: RoomState.Person) -> Bool { isModerator && !person.isOwn && !person.hasVoice }

    /// Moderators keep their voice (XEP-0045 §8.4).
    public func mayRevokeVoice(from person: RoomState.Person) -> Bool {
        isModerator && !person.isOwn && person.hasVoice && !person.isModerator && !outranks(person)
    }

    public func mayGrantModerator(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && !person.isModerator
    }

    /// The account must be known (XEP-0045 §9.3).
    public func mayGrantMembership(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && person.standing > .member
    }

    /// Admins and owners stay moderators.
    public func mayRevokeModerator(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.isModerator && person.standing > .admin
    }

    public func mayRevokeMembership(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && person.standing == .member
    }

    private func outranks(_ person: RoomState.Person) -> Bool {
        guard let own, person.standing <= .admin else { return false }
        return own.standing == .owner ? person.standing == .owner : true
    }
}
