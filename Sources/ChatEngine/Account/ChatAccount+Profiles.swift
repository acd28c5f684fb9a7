internal import Blocking
internal import ChatStore
internal import Profiles
public import XMPPAddress
public import XMPPClient

extension ChatAccount {
    /// Takes nothing from somebody any more, and shows nothing (XEP-0191).
    public func block(_ address: JID) async throws(ClientError) {
        guard let blocking = session?[Blocking.self] else { throw .notConnected }
        try await blocking.block(address)
    }

    public func unblock(_ address: JID) async throws(ClientError) {
        guard let blocking = session?[Blocking.self] else { throw .notConnected }
        try await blocking.unblock(address)
    }

    /// Whom this account takes nothing from, as far as the server has said.
    public var blocked: Set<JID> {
        get async { await session?[Blocking.self]?.blocked ?? [] }
    }

    /// Tells of what is blocked, also by another device.
    func followBlocking(in session: Session) async {
        guard let blocking = session[Blocking.self] else { return }
        let events = blocking.events()
        if await blocking.isPopulated { await blockingChanged(blocking) }
        for await _ in events { await blockingChanged(blocking) }
    }

    private func blockingChanged(_ blocking: Blocking) async {
        channel.post(.blocked)
        // Whoever was blocked, here or on another device, needs no answer any more.
        for request in contactRequests where await blocking.isBlocked(request.address) {
            await forgetRequest(of: request.address)
        }
    }

    /// Keeps the pictures of contacts.
    func followProfiles(in session: Session) async {
        guard let profiles = session[Profiles.self] else { return }
        avatarQueue = AvatarQueue()
        await withDiscardingTaskGroup { group in
            for await event in profiles.events() {
                guard case .avatarChanged(let owner, let hash) = event,
                    let change = avatarQueue.add(.init(owner: owner, hash: hash))
                else { continue }
                group.addTask { await self.fetchAvatars(from: change, profiles) }
            }
            group.cancelAll()
        }
    }

    private func fetchAvatars(from first: AvatarQueue.Change, _ profiles: Profiles) async {
        var change: AvatarQueue.Change? = first
        while let current = change {
            await avatarChanged(of: current.owner, hash: current.hash, profiles)
            change = avatarQueue.finished(current)
        }
    }

    private func avatarChanged(of owner: JID, hash: String?, _ profiles: Profiles) async {
        let id = id
        let known = try? await store.read { reader throws(StoreError) in
            try reader.avatar(of: owner, account: id)?.hash
        }
        guard known != hash else { return }
        var avatar: StoredAvatar?
        if hash != nil {
            // What cannot be fetched now is told again with the next presence.
            guard let picture = (try? await profiles.avatar(of: owner)) ?? nil else { return }
            avatar = StoredAvatar(hash: picture.id, mediaType: picture.mediaType, data: picture.bytes)
        }
        let kept = avatar
        await keep { writer throws(StoreError) in try writer.saveAvatar(kept, of: owner, account: id) }
    }
}
