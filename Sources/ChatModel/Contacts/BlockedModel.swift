public import ChatEngine
internal import ChatStore
internal import Localization
public import Observation
public import XMPPAddress
internal import XMPPClient

/// The block list of an account as its server stores it (XEP-0191).
///
///     let model = BlockedModel(account)
///     Task { await model.run() }                     // until the task is cancelled
///     await model.unblock(address)                   // what goes wrong stands in `failure`
@MainActor
@Observable
public final class BlockedModel {
    /// A blocked address and the name of its contact.
    public struct Entry: Identifiable, Hashable, Sendable {
        public let address: JID
        public let name: String

        public var id: JID { address }
    }

    /// Sorted by name.
    public private(set) var entries: [Entry] = []
    /// Whether the account is connected. Only then is the block list known, and can it be changed.
    public private(set) var isOnline = false
    /// Addresses with an unblock request in progress.
    public private(set) var working: Set<JID> = []
    /// Why the last request failed, as a sentence for the user.
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
                for await change in changes where change.accounts.contains(id) { coalescer.call() }
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

    /// Reads everything again.
    public func refresh() async {
        let id = account.id
        let names = try? await account.store.read { reader throws(StoreError) in
            (try reader.contacts(of: id), try reader.publishedNames(of: id))
        }
        show(
            await account.blocking.blocked, contacts: names?.0 ?? [], published: names?.1 ?? [:],
            isOnline: await account.connectionState.isOnline)
    }

    /// Shows the server's list with the names of contacts.
    func show(
        _ blocked: Set<JID>, contacts: [StoredContact], published: [JID: String] = [:], isOnline: Bool
    ) {
        let names = Dictionary(contacts.map { ($0.address, $0.name ?? "") }) { first, _ in first }
        let entries = blocked.map { address in
            let remark = [names[address], published[address]].compactMap(\.self).first { !$0.isEmpty }
            return Entry(address: address, name: remark ?? address.unescapedLocal ?? address.description)
        }.sorted { (FoldedName($0.name), $0.address) < (FoldedName($1.name), $1.address) }
        if self.entries != entries { self.entries = entries }
        if self.isOnline != isOnline { self.isOnline = isOnline }
    }

    /// Unblocks an address.
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

    /// Clears ``failure`` after it was shown.
    public func clearFailure() { failure = nil }
}
