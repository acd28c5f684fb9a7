internal import ChatStore
internal import Profiles
internal import XMPPClient

/// Downloads and stores the pictures that contacts show.
actor AvatarService {
    private let context: AccountContext
    private var queue = AvatarQueue()

    init(_ context: AccountContext) { self.context = context }

    /// Stores the pictures of contacts.
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
            // What cannot be fetched now is told again with the next presence.
            guard let picture = (try? await profiles.avatar(of: owner)) ?? nil else { return }
            avatar = StoredAvatar(hash: picture.id, mediaType: picture.mediaType, data: picture.bytes)
        }
        let stored = avatar
        await context.save { writer throws(StoreError) in try writer.saveAvatar(stored, of: owner, account: id) }
    }
}
