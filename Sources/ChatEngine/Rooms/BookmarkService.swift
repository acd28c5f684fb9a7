internal import ChatStore
internal import GroupChat
public import XMPPAddress
public import XMPPClient

/// The rooms that an account remembers on the server, for all its devices (XEP-0402).
public struct BookmarkService: Sendable {
    private let context: AccountContext
    private let rooms: RoomService

    init(_ context: AccountContext, rooms: RoomService) {
        self.context = context
        self.rooms = rooms
    }

    /// The rooms that are remembered; empty without a connection.
    public var all: [JID: RoomBookmark] {
        get async { await context.session?[Bookmarks.self]?.all.mapValues { RoomBookmark($0) } ?? [:] }
    }

    /// Whether a room is entered whenever the account connects, on all devices. A room that it is in now it stays in.
    public func setEntersAutomatically(_ enters: Bool, _ room: JID) async throws(ClientError) {
        let nickname = context.places[room.bare]?.nickname
        try await change(room) { bookmark in
            bookmark.entersAutomatically = enters
            bookmark.nickname = bookmark.nickname ?? nickname
        }
        await rooms.change(room) { $0.joinsAutomatically = enters }
        context.events.post(.room(room.bare))
    }

    /// Calls a room something else, for this account, on all its devices; `nil` removes the name.
    public func rename(_ room: JID, to name: String?) async throws(ClientError) {
        try await change(room) { $0.title = name }
        await rooms.change(room) { $0.name = name }
        context.events.post(.room(room.bare))
    }

    private func change(_ room: JID, _ body: (inout Bookmark) -> Void) async throws(ClientError) {
        guard let bookmarks = context.session?[Bookmarks.self] else { throw .notConnected }
        var bookmark = await bookmarks.all[room.bare] ?? Bookmark()
        body(&bookmark)
        try await bookmarks.set(bookmark, for: room)
    }

    /// Follows the rooms that another device of this account enters.
    func run(in session: Session) async {
        guard let bookmarks = session[Bookmarks.self] else { return }
        for await event in bookmarks.events() {
            switch event {
            case .populated: for (room, bookmark) in await bookmarks.all { await changed(room, bookmark) }
            case .changed(let room, let bookmark): await changed(room, bookmark)
            case .removed(let room): context.events.post(.room(room))
            }
        }
    }

    private func changed(_ room: JID, _ bookmark: Bookmark) async {
        if bookmark.entersAutomatically {
            await rooms.enter(bookmarked: room, nickname: bookmark.nickname, name: bookmark.title)
        }
        context.events.post(.room(room))
    }
}

/// A room that this account remembers on all its devices.
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
