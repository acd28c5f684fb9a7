public import ChatEngine
public import ChatStore
public import Observation
internal import Waiting
public import XMPPAddress
internal import XMPPClient

/// A room in the list of rooms.
public struct RoomRow: Identifiable, Hashable, Sendable {
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
    /// The name in the bookmark, else the room's own name, else one from the address.
    public let name: String
    /// The account's nickname in the room, or the one to join with.
    public let nickname: String?
    public let subject: String?
    /// Whether it is joined whenever the account connects.
    public let joinsAutomatically: Bool
    /// Whether the account has joined it.
    public let isInside: Bool

    let sortName: FoldedName

    public var address: JID { id.address }
    /// The conversation of the room.
    public var conversation: ConversationKey {
        ConversationKey(account: id.account, address: id.address, kind: .room)
    }

    static func isBefore(_ left: RoomRow, _ right: RoomRow) -> Bool {
        if left.sortName != right.sortName { return left.sortName < right.sortName }
        return (left.id.address, left.id.account) < (right.id.address, right.id.account)
    }
}

/// The rooms of all accounts: bookmarked ones and joined ones.
@MainActor
@Observable
public final class RoomList {
    public let rows: ObservableList<RoomRow>

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let environment: ModelEnvironment
    @ObservationIgnored private let turns = AsyncLock()
    @ObservationIgnored private var book = AddressBook()
    @ObservationIgnored private var bookmarks: [AccountID: [JID: RoomBookmark]] = [:]
    @ObservationIgnored private var inside: [AccountID: Set<JID>] = [:]

    /// The minimum time between two updates: many people join and leave.
    static let interval: Duration = .milliseconds(200)

    public init(store: any LocalStore, environment: ModelEnvironment = ModelEnvironment()) {
        self.store = store
        self.environment = environment
        rows = ObservableList(report: environment.report)
    }

    /// Reads the rooms and follows the store until the task is cancelled or the store is closed.
    public func run() async {
        let changes = store.changes()
        await reload()
        for await change in changes where !change.accounts.isEmpty { await read(change.accounts) }
    }

    public func reload() async { await read(nil) }

    /// Reads these accounts, or all.
    private func read(_ accounts: Set<AccountID>?) async {
        await turns.withLock { [store] in
            let known = self.book
            let found = try? await store.read { reader throws(StoreError) in
                if let accounts { try known.reading(accounts, from: reader) } else { try AddressBook(reader) }
            }
            guard let found, found != book else { return }
            book = found
            display()
        }
    }

    /// Shows an account's joined and bookmarked rooms until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let coalescer = Coalescer(every: Self.interval, clock: environment.clock)
        let events = account.events()
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self] in
                await coalescer.run {
                    let bookmarks = await account.bookmarks.all
                    let inside = await account.rooms.inside()
                    self?.show(bookmarks: bookmarks, inside: inside, of: account.id)
                }
            }
            for await event in events {
                switch event {
                case .room, .connection: coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }

    /// Sets an account's bookmarks and joined rooms.
    public func show(bookmarks now: [JID: RoomBookmark], inside places: Set<JID>, of account: AccountID) {
        guard bookmarks[account] != now || inside[account] != places else { return }
        bookmarks[account] = now
        inside[account] = places
        display()
    }

    private func display() {
        var shown: [RoomRow] = []
        for account in book.accounts.keys {
            let (marks, places) = (bookmarks[account] ?? [:], inside[account] ?? [])
            let kept = Dictionary(
                book.rooms(of: account).map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
            let entered = kept.values.filter(\.joinsAutomatically).map(\.address)
            for address in Set(entered).union(marks.keys).union(places) {
                let (room, mark) = (kept[address], marks[address])
                let key = ConversationKey(account: account, address: address, kind: .room)
                let name = mark?.name ?? book.title(of: key)
                shown.append(
                    RoomRow(
                        id: .init(account: account, address: address), name: name,
                        nickname: mark?.nickname ?? room?.nickname, subject: room?.subject,
                        joinsAutomatically: mark?.joinsAutomatically ?? room?.joinsAutomatically ?? false,
                        isInside: places.contains(address), sortName: FoldedName(name)))
            }
        }
        shown.sort(by: RoomRow.isBefore)
        rows.show(shown)
    }
}
