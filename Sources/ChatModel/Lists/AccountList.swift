public import ChatStore
public import Observation
internal import Waiting
public import XMPPAddress
public import XMPPClient

/// One account with the honest state of its connection.
public struct AccountRow: Identifiable, Hashable, Sendable {
    public let id: AccountID
    public let address: JID
    /// What the person calls itself, if it has said so.
    public let displayName: String?
    /// What the person calls itself, else what the address says.
    public let name: String
    /// Of the picture that contacts see; `nil` where there is none.
    public let avatarHash: String?
    /// The person wants it to be online.
    public let isEnabled: Bool
    public internal(set) var connection: ConnectionState
    /// When the next attempt to connect is made, if one is planned.
    public internal(set) var nextAttempt: MessageTime?
    /// What a person must give before the account can go online.
    public internal(set) var need: AccountNeed?
    /// What last went wrong without anybody having asked for it, as a sentence.
    public internal(set) var problem: String?
}

/// All accounts of this person, several at once, each with its own connection.
@MainActor
@Observable
public final class AccountList {
    public let rows: ObservableList<AccountRow>
    /// Why the store could not be read the last time, if so.
    public private(set) var failure: StoreError?

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let now: @Sendable () -> MessageTime
    @ObservationIgnored private let turns = AsyncLock()
    @ObservationIgnored private var accounts: [Account] = []
    @ObservationIgnored private var avatars: [AccountID: String] = [:]
    @ObservationIgnored private var connections: [AccountID: ConnectionState] = [:]
    @ObservationIgnored private var nextAttempts: [AccountID: MessageTime] = [:]
    @ObservationIgnored private var needs: [AccountID: AccountNeed] = [:]
    @ObservationIgnored private var problems: [AccountID: String] = [:]

    public init(store: any LocalStore, environment: ModelEnvironment = ModelEnvironment()) {
        self.store = store
        now = environment.now
        rows = ObservableList(report: environment.report)
    }

    /// Reads the accounts and follows the store until the task is cancelled or the store is closed.
    public func run() async {
        let changes = store.changes()
        await reload()
        for await change in changes { await apply(change) }
    }

    public func reload() async {
        await turns.withLock { [store] in
            do throws(StoreError) {
                (accounts, avatars) = try await store.read { store throws(StoreError) in
                    let accounts = try store.accounts()
                    var avatars: [AccountID: String] = [:]
                    for account in accounts {
                        avatars[account.id] = try store.avatarHashes(of: account.id)[account.address]
                    }
                    return (accounts, avatars)
                }
                failure = nil
                display()
            } catch {
                failure = error
            }
        }
    }

    public func apply(_ changes: StoreChanges) async {
        if !changes.accounts.isEmpty { await reload() }
    }

    /// How the connection of an account stands now.
    public func show(_ connection: ConnectionState, of account: AccountID) {
        guard connections[account] != connection else { return }
        connections[account] = connection
        nextAttempts[account] = nil
        if case .offline(_, let pause?) = connection {
            nextAttempts[account] = now().advanced(
                by: pause.components.seconds * 1000 + pause.components.attoseconds / 1_000_000_000_000_000)
        }
        // What went wrong on the last connection does not stand for ever.
        if connection.isOnline {
            problems[account] = nil
            needs[account] = nil
        }
        display()
    }

    /// What a person must give before an account can go online; `nil` for nothing.
    public func show(_ need: AccountNeed?, of account: AccountID) {
        guard needs[account] != need else { return }
        needs[account] = need
        display()
    }

    /// Something did not work that nobody asked for.
    public func show(problem: String, of account: AccountID) {
        problems[account] = problem
        display()
    }

    private func display() {
        rows.show(
            accounts.map { account in
                AccountRow(
                    id: account.id, address: account.address, displayName: account.displayName,
                    name: account.displayName ?? account.address.unescapedLocal ?? account.address.description,
                    avatarHash: avatars[account.id], isEnabled: account.isEnabled,
                    connection: connections[account.id] ?? .offline(reason: nil, nextAttempt: nil),
                    nextAttempt: nextAttempts[account.id], need: needs[account.id], problem: problems[account.id])
            })
    }
}

/// What tells one account of a person from the others, where there are several: with which of them one writes must always be seen.
public struct AccountTag: Hashable, Sendable {
    /// The whole address.
    public let address: String
    /// For places with little room: the local part, or the whole address where another account has the same local part.
    public let short: String
}

extension AccountList {
    /// `nil` where the person has one account, switched off ones included, and for accounts that are not there.
    public func tag(of id: AccountID) -> AccountTag? {
        let rows = rows.elements
        guard rows.count > 1, let address = rows.first(where: { $0.id == id })?.address else { return nil }
        let name = address.unescapedLocal ?? address.description
        let isAmbiguous = rows.contains { $0.id != id && $0.address.unescapedLocal == address.unescapedLocal }
        return AccountTag(
            address: address.description, short: isAmbiguous ? address.description : name)
    }
}
