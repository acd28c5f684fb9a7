internal import ChatStore
internal import Profiles
internal import XMPPAddress
internal import XMPPClient

/// Downloads and stores the avatars of contacts.
actor AvatarService {
    private let context: AccountContext
    private var queue = AvatarQueue()

    init(_ context: AccountContext) { self.context = context }

    /// Stores the avatars of contacts.
    func run(in session: Session) async {
        guard let profiles = session[Profiles.self] else { return }
        queue = AvatarQueue()
        await withDiscardingTaskGroup { group in
            for await event in profiles.events() {
                guard case .avatarChanged(let owner, let hash) = event,
                    let change = queue.add(.init(owner: owner, hash: hash))
                else { continue }
                group.addTask { await self.fetch(from: change, profiles) }
            }
            group.cancelAll()
        }
    }

    private func fetch(from first: AvatarQueue.Change, _ profiles: Profiles) async {
        var change: AvatarQueue.Change? = first
        while let current = change {
            await fetch(current, profiles)
            change = queue.finished(current)
        }
    }

    private func fetch(_ change: AvatarQueue.Change, _ profiles: Profiles) async {
        let (id, owner) = (context.id, change.owner)
        let known = try? await context.store.read { reader throws(StoreError) in
            try reader.avatar(of: owner, account: id)?.hash
        }
        guard known != change.hash else { return }
        var avatar: StoredAvatar?
        if change.hash != nil {
            // If this fails, the next presence announces it again.
            guard let picture = (try? await profiles.avatar(of: owner)) ?? nil else { return }
            avatar = StoredAvatar(hash: picture.id, mediaType: picture.mediaType, data: picture.bytes)
        }
        let stored = avatar
        await context.save { writer throws(StoreError) in try writer.saveAvatar(stored, of: owner, account: id) }
    }
}

/// Schedules the download of avatars, few of one server at a time. Of several changes of one contact, only the last is
/// downloaded.
struct AvatarQueue {
    /// A change of an avatar; a `nil` hash removes it.
    struct Change: Equatable {
        var owner: JID
        var hash: String?
    }

    /// Parallel downloads per server.
    static let serverLimit = 2
    /// Parallel downloads.
    static let limit = 16
    /// The maximum number of waiting changes. A dropped one is announced again with the next presence.
    static let waitingLimit = 4096

    private var queue = FairQueue<String, JID>(limit: limit, groupLimit: serverLimit, waitingLimit: waitingLimit)
    /// The last announced hash of each waiting contact.
    private var hashes: [JID: String?] = [:]

    var waitingCount: Int { queue.waitingCount }

    /// - Returns: the change if it can be downloaded now; `nil` if it waits or was dropped.
    mutating func add(_ change: Change) -> Change? {
        if hashes[change.owner] != nil {
            hashes[change.owner] = .some(change.hash)
            return nil
        }
        switch queue.add(change.owner, of: change.owner.domain) {
        case .start: return change
        case .waiting: hashes[change.owner] = .some(change.hash)
        case .refused: break
        }
        return nil
    }

    /// - Returns: the change to be downloaded next.
    mutating func finished(_ change: Change) -> Change? {
        guard let owner = queue.finished(change.owner.domain) else { return nil }
        return Change(owner: owner, hash: hashes.removeValue(forKey: owner) ?? nil)
    }
}
