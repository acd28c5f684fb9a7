internal import ChatStore
internal import GroupChat
internal import Profiles
internal import Waiting
internal import XMPPAddress

/// The pictures of rooms (XEP-0486).
struct RoomPictures: Sendable {
    let context: AccountContext

    /// Publishes the picture of a room as its owner, scaled down and without metadata; `nil` removes it.
    ///
    /// - Throws: ``OwnProfileFailure``: not connected, not a picture, or refused by the room.
    func set(_ bytes: [UInt8]?, of room: JID) async throws(OwnProfileFailure) {
        guard let session = await context.onlineSession, let profiles = session[Profiles.self] else {
            throw .notConnected
        }
        var avatar: Avatar?
        if let bytes { avatar = try await ProfileService.avatar(of: bytes) }
        do throws(ProfileError) {
            try await profiles.publish(avatar, ofRoom: room)
        } catch {
            throw .refused(error)
        }
        // The room announces the change to others, and to us only if it supports pictures.
        await save(avatar.map { StoredAvatar(hash: $0.id, mediaType: $0.mediaType, data: $0.bytes) }, of: room)
    }

    /// Stores the picture of a joined room after each signal until the task is cancelled.
    func take(of room: JID, after changes: Signal) async {
        while true {
            await changes.wait()
            guard !Task.isCancelled else { return }
            await takeIfChanged(of: room)
        }
    }

    /// Stores the picture of a joined room if it has changed.
    private func takeIfChanged(of room: JID) async {
        guard let session = context.session, let chat = session[GroupChat.self], let profiles = session[Profiles.self],
            let hashes = try? await chat.information(of: room).avatarHashes
        else { return }
        let id = context.id
        let all = try? await context.store.read { reader throws(StoreError) in try reader.avatarHashes(of: id) }
        guard let all else { return }
        let known = all[room.bare]
        if hashes.isEmpty {
            if known != nil { await save(nil, of: room) }
        } else if known.map({ !hashes.contains($0) }) ?? true {
            guard let picture = (try? await profiles.avatar(ofRoom: room, hashes: hashes)) ?? nil else { return }
            await save(
                StoredAvatar(hash: picture.id, mediaType: picture.mediaType, data: picture.bytes), of: room)
        }
    }

    private func save(_ avatar: StoredAvatar?, of room: JID) async {
        let id = context.id
        await context.save { writer throws(StoreError) in
            try writer.saveAvatar(avatar, of: room.bare, account: id)
        }
    }
}
