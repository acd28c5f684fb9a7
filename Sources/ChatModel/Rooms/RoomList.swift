public import ChatEngine
public import ChatStore
public import Observation
public import XMPPAddress
internal import XMPPClient

/// One room in the list of rooms.
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
    /// What the person or the room calls it, else what its address says.
    public let name: String
    /// Under which the account is, or enters.
    public let nickname: String?
    public let subject: String?
    /// It is entered whenever the account connects.
    public let entersAutomatically: Bool
    /// The account is in it now.
    public let isInside: Bool

    let sortName: FoldedName

    public var address: JID { id.address }
    /// What is said there.
    public var conversation: ConversationKey {
        ConversationKey(account: id.account, address: id.address, kind: .room)
    }

    static func isBefore(_ left: RoomRow, _ right: RoomRow) -> Bool {
        if left.sortName != right.sortName { return left.sortName < right.sortName }
        return (left.id.address, left.id.account) < (right.id.address, right.id.account)
    }
}

/// The rooms that this person remembers, of all accounts: those that are entered by themselves, those that are bookmarked, and
/// those where an account is now.
@MainActor
@Observable
public final class RoomList {
    public let rows: ObservableList<RoomRow>

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let environment: ModelEnvironment
    @ObservationIgnored private let turns = Turns()
    @ObservationIgnored private var book = AddressBook()
    @ObservationIgnored private var bookmarks: [AccountID: [JID: RoomBookmark]] = [:]
    @ObservationIgnored private var inside: [AccountID: Set<JID>] = [:]

    /// How often it is looked again at most: many people come and go.
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
        await turns.take { [store] in
            let known = self.book
            let found = try? await store.read { reader throws(StoreError) in
                if let accounts { try known.reading(accounts, from: reader) } else { try AddressBook(reader) }
            }
            guard let found, found != book else { return }
            book = found
            display()
        }
    }

    /// Shows where an account is now, and what it remembers, until the task is cancelled.
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

    /// What an account remembers, and where it is.
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
                        entersAutomatically: mark?.entersAutomatically ?? room?.joinsAutomatically ?? false,
                        isInside: places.contains(address), sortName: FoldedName(name)))
            }
        }
        shown.sort(by: RoomRow.isBefore)
        rows.show(shown)
    }
}
