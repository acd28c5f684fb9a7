public import ChatEngine
public import ChatStore
internal import Localization
public import Observation
public import XMPPAddress
internal import XMPPClient

/// Everybody whom an account has blocked, as its server keeps them (XEP-0191): contacts and others.
///
///     let model = BlockedModel(account)
///     Task { await model.run() }                     // until the task is cancelled
///     await model.unblock(address)                   // what goes wrong stands in `failure`
@MainActor
@Observable
public final class BlockedModel {
    /// One address, and the name that this person knows it by.
    public struct Entry: Identifiable, Hashable, Sendable {
        public let address: JID
        public let name: String

        public var id: JID { address }
    }

    /// By their names.
    public private(set) var entries: [Entry] = []
    /// The account is connected: only then it is known who is blocked, and it can be changed.
    public private(set) var isOnline = false
    /// These are being unblocked.
    public private(set) var working: Set<JID> = []
    /// Why the last wish was not fulfilled, as a sentence.
    public private(set) var failure: String?

    @ObservationIgnored private let account: ChatAccount
    @ObservationIgnored private let environment: ModelEnvironment

    public init(_ account: ChatAccount, environment: ModelEnvironment = ModelEnvironment()) {
        self.account = account
        self.environment = environment
    }

    /// Follows the account until the task is cancelled.
    public func run() async {
        let coalescer = Coalescer(every: ContactModel.interval, clock: environment.clock)
        let (events, changes) = (account.events(), account.store.changes())
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self] in await coalescer.run { await self?.refresh() } }
            group.addTask { [id = account.id] in
                for await change in changes where change.accounts.contains(id) { await coalescer.call() }
            }
            for await event in events {
                switch event {
                case .blocked, .connection: coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }

    /// Looks at everything again.
    public func refresh() async {
        let id = account.id
        let contacts = try? await account.store.read { reader throws(StoreError) in try reader.contacts(of: id) }
        show(await account.blocking.blocked, contacts: contacts ?? [], isOnline: await account.connectionState.isOnline)
    }

    /// Shows what the server says; a contact has the name that this person has given to it.
    func show(_ blocked: Set<JID>, contacts: [StoredContact], isOnline: Bool) {
        let names = Dictionary(contacts.map { ($0.address, $0.name ?? "") }) { first, _ in first }
        let entries = blocked.map { address in
            let remark = names[address].flatMap { $0.isEmpty ? nil : $0 }
            return Entry(address: address, name: remark ?? address.unescapedLocal ?? address.description)
        }.sorted { (FoldedName($0.name), $0.address) < (FoldedName($1.name), $1.address) }
        if self.entries != entries { self.entries = entries }
        if self.isOnline != isOnline { self.isOnline = isOnline }
    }

    /// Hears from somebody again.
    public func unblock(_ address: JID) async {
        guard working.insert(address).inserted else { return }
        failure = nil
        defer { working.remove(address) }
        do throws(ClientError) {
            try await account.blocking.unblock(address)
        } catch {
            failure = Wording.failure(error)
        }
        await refresh()
    }

    /// The person has read what went wrong.
    public func clearFailure() { failure = nil }
}
