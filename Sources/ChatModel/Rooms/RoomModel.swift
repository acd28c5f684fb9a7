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
///     if room.rights.mayKick(row.person) { try await account.rooms.kick(row.nickname, from: room.key.address) }
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
    /// Of the listing that is shown.
    @ObservationIgnored private var folded: [String: FoldedName] = [:]
    /// How many nicknames were folded and how often the list was made, for tests.
    @ObservationIgnored private(set) var foldings = 0
    @ObservationIgnored private(set) var listings = 0

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
                    let state = await account.rooms.state(of: key.address)
                    await self?.readBook()
                    await self?.arrange(state)
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
        display(listing())
    }

    /// What the room is now.
    public func show(_ state: RoomState) {
        self.state = state
        display(listing())
        if !isKnown { isKnown = true }
    }

    /// The same, made while the main actor does something else.
    private func arrange(_ state: RoomState) async {
        self.state = state
        let before = listings
        let listing = await RoomPeopleListing.make(
            state.people, in: key, book, folded: folded, search: searchText, shown: people.elements)
        // A search that was quicker has shown this state already.
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
        folded = listing.folded
        foldings += listing.foldings
        people.show(listing.rows, listing.diff)
    }
}

/// What this person may do in a room, as far as role and affiliation say it (XEP-0045 §5.1.1, §5.2.1). The room has the last
/// word.
public struct RoomRights: Hashable, Sendable {
    private let own: RoomState.Person?

    init(_ own: RoomState.Person?) { self.own = own }

    /// The least standing of those who rule the room for good.
    private var isAdmin: Bool { own.map { $0.standing <= .admin } ?? false }
    private var isModerator: Bool { own.map { $0.isModerator || $0.standing <= .admin } ?? false }

    /// Rooms may let everybody change what they are about; who has a voice may try.
    public var mayChangeSubject: Bool { own?.hasVoice ?? false }
    public var mayInvite: Bool { own != nil }
    public var mayTakeBackOthersMessages: Bool { isModerator }
    public var isOwner: Bool { own?.standing == .owner }

    /// Nobody throws out who stands above, or beside among owners and admins (XEP-0045 §8.2).
    public func mayKick(_ person: RoomState.Person) -> Bool {
        isModerator && !person.isOwn && !outranks(person)
    }

    /// The account must be known, and bans last (XEP-0045 §9.1).
    public func mayBan(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && !outranks(person)
    }

    public func mayGiveVoice(to person: RoomState.Person) -> Bool { isModerator && !person.isOwn && !person.hasVoice }

    /// Moderators cannot be silenced (XEP-0045 §8.4).
    public func mayTakeVoice(from person: RoomState.Person) -> Bool {
        isModerator && !person.isOwn && person.hasVoice && !person.isModerator && !outranks(person)
    }

    public func mayMakeModerator(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && !person.isModerator
    }

    /// The account must be known (XEP-0045 §9.3).
    public func mayMakeMember(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && person.standing > .member
    }

    /// Who rules the room for good is a moderator as long as that lasts.
    public func mayUnmakeModerator(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.isModerator && person.standing > .admin
    }

    public func mayUnmakeMember(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && person.standing == .member
    }

    private func outranks(_ person: RoomState.Person) -> Bool {
        guard let own, person.standing <= .admin else { return false }
        return own.standing == .owner ? person.standing == .owner : true
    }
}
