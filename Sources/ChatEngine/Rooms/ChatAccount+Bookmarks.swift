internal import ChatStore
internal import GroupChat
public import XMPPAddress
public import XMPPClient

/// A room that this account remembers on all its devices (XEP-0402).
public struct RoomBookmark: Hashable, Sendable {
    /// What the person calls the room.
    public var name: String?
    public var nickname: String?
    /// It is entered whenever the account connects.
    public var entersAutomatically: Bool

    init(_ bookmark: Bookmark) {
        name = bookmark.title.flatMap { $0.isEmpty ? nil : $0 }
        nickname = bookmark.nickname
        entersAutomatically = bookmark.entersAutomatically
    }
}

extension ChatAccount {
    /// The rooms that are remembered on the server; empty without a connection.
    public func bookmarks() async -> [JID: RoomBookmark] {
        await session?[Bookmarks.self]?.all.mapValues { RoomBookmark($0) } ?? [:]
    }

    /// Whether a room is entered whenever the account connects, on all devices. A room that it is in now it stays in.
    public func setEntersAutomatically(_ enters: Bool, _ room: JID) async throws(ClientError) {
        let nickname = recorder.places.all[room.bare]?.nickname
        try await change(room) { bookmark in
            bookmark.entersAutomatically = enters
            bookmark.nickname = bookmark.nickname ?? nickname
        }
        await changeKept(room) { $0.joinsAutomatically = enters }
    }

    /// Calls a room something else, for oneself, on all devices; `nil` takes the name away.
    public func renameRoom(_ room: JID, to name: String?) async throws(ClientError) {
        try await change(room) { $0.title = name }
        await changeKept(room) { $0.name = name }
    }

    /// Forgets a room on all devices. A room that this account is in it leaves.
    public func forgetRoom(_ room: JID) async {
        await leaveRoom(room)
        channel.post(.room(room.bare))
    }

    private func change(_ room: JID, _ body: (inout Bookmark) -> Void) async throws(ClientError) {
        guard let bookmarks = session?[Bookmarks.self] else { throw .notConnected }
        var bookmark = await bookmarks.all[room.bare] ?? Bookmark()
        body(&bookmark)
        try await bookmarks.set(bookmark, for: room)
    }

    private func changeKept(_ room: JID, _ body: @escaping @Sendable (inout StoredRoom) -> Void) async {
        let id = id
        await keep { writer throws(StoreError) in
            guard var kept = try writer.rooms(of: id).first(where: { $0.address == room.bare }) else { return }
            body(&kept)
            try writer.save(kept, of: id)
        }
        channel.post(.room(room.bare))
    }
}
