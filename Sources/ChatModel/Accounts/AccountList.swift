public import ChatStore
public import Observation
internal import Waiting
public import XMPPAddress
public import XMPPClient

/// An account with the state of its connection.
public struct AccountRow: Identifiable, Hashable, Sendable {
    public let id: AccountID
    public let address: JID
    /// The user's display name, if set.
    public let displayName: String?
    /// The user's display name, else the name from the address.
    public let name: String
    /// The hash of the avatar that contacts see; `nil` if there is none.
    public let avatarHash: String?
    /// Whether the account should be online.
    public let isEnabled: Bool
    public internal(set) var connection: ConnectionState
    /// The time of the next connection attempt, if one is scheduled.
    public internal(set) var nextAttempt: MessageTime?
    /// What the user must provide before the account can go online.
    public internal(set) var need: AccountNeed?
    /// The last background failure, as a sentence for the user.
    public internal(set) var problem: String?
}

/// All accounts of the user with their connections.
@MainActor
@Observable
public final class AccountList {
    public let rows: ObservableList<AccountRow>
    /// Why reading the store last failed, if it did.
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

    /// If the store has no accounts, imports those that are signed in with another program on this computer.
    func takeOver(from storage: any AccountStorage) async throws {
        let known = try await store.read { reader throws(StoreError) in try reader.accounts() }
        guard known.isEmpty else { return }
        let addresses = try await storage.accesses().map(\.address)
        try await store.write { writer throws(StoreError) in
            for address in addresses { _ = try writer.addAccount(address) }
        }
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

    /// Sets the connection state of an account.
    public func show(_ connection: ConnectionState, of account: AccountID) {
        guard connections[account] != connection else { return }
        connections[account] = connection
        nextAttempts[account] = nil
        if case .offline(_, let pause?) = connection {
            nextAttempts[account] = now().advanced(
                by: pause.components.seconds * 1000 + pause.components.attoseconds / 1_000_000_000_000_000)
        }
        // Problems of the previous connection are cleared.
        if connection.isOnline {
            problems[account] = nil
            needs[account] = nil
        }
        display()
    }

    /// Sets what the user must provide before an account can go online; `nil` for nothing.
    public func show(_ need: AccountNeed?, of account: AccountID) {
        guard needs[account] != need else { return }
        needs[account] = need
        display()
    }

    /// Reports a background failure.
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

/// Distinguishes an account from the user's other accounts. Wherever a message is written, the sending account must be
/// visible.
public struct AccountTag: Hashable, Sendable {
    /// The full address.
    public let address: String
    /// For little space: the local part, or the full address if another account has the same local part.
    public let short: String
}

extension AccountList {
    /// `nil` if the user has only one account, counting disabled ones, and for unknown accounts.
    public func tag(of id: AccountID) -> AccountTag? {
        let rows = rows.elements
        guard rows.count > 1, let address = rows.first(where: { $0.id == id })?.address else { return nil }
        let name = address.unescapedLocal ?? address.description
        let isAmbiguous = rows.contains { $0.id != id && $0.address.unescapedLocal == address.unescapedLocal }
        return AccountTag(
            address: address.description, short: isAmbiguous ? address.description : name)
    }
}
