public import ChatStore
public import GroupChat
internal import ServiceDiscovery
public import XMPPAddress
public import XMPPClient

/// The bookmarked rooms of an account, stored on the server for all devices (XEP-0402).
public struct BookmarkService: Sendable {
    private let context: AccountContext
    private let stored: StoredRooms
    private let rooms: RoomJoining

    init(_ context: AccountContext, rooms: RoomJoining) {
        self.context = context
        stored = StoredRooms(context)
        self.rooms = rooms
    }

    /// The bookmarks; empty without a connection.
    public var all: [JID: RoomBookmark] {
        get async { await context.session?[Bookmarks.self]?.all.mapValues { RoomBookmark($0) } ?? [:] }
    }

    /// Sets whether a room is joined at each connection, on all devices. A joined room is not left.
    public func setJoinsAutomatically(_ enters: Bool, _ room: JID) async throws(ClientError) {
        let nickname = context.occupancies[room.bare]?.nickname
        try await change(room) { bookmark in
            bookmark.joinsAutomatically = enters
            bookmark.nickname = bookmark.nickname ?? nickname
        }
        await stored.change(room) { $0.joinsAutomatically = enters }
        context.events.post(.room(room.bare))
    }

    /// Renames a room for this account, on all devices; `nil` is the name that the room has given itself.
    public func rename(_ room: JID, to name: String?) async throws(ClientError) {
        try await change(room) { $0.title = name }
        let ownName = await rooms.ownName(of: room)
        await stored.change(room) { $0.name = name ?? ownName }
        context.events.post(.room(room.bare))
    }

    /// Sets which messages of a room cause a notification, on all devices (XEP-0492). Without a connection or a bookmark the
    /// other devices follow later, whatever they have set before.
    public func share(
        _ notifications: ConversationSettings.Notifications, of room: JID
    ) async throws(ClientError) {
        await update(room) { settings in
            settings.notifications = notifications
            settings.isUnshared = true
        }
        if await context.session?[Bookmarks.self]?.all[room.bare] != nil { try await publish(notifications, of: room) }
    }

    private func publish(
        _ notifications: ConversationSettings.Notifications, of room: JID
    ) async throws(ClientError) {
        let level = NotificationSettings.Level(notifications)
        try await change(room) { bookmark in
            var settings = bookmark.notifications ?? NotificationSettings()
            settings.set(level)
            // Another program may have set something else for programs like this one.
            if settings.level(for: Self.identity) != level { settings.set(level, for: Self.identity) }
            bookmark.notifications = settings
        }
        // The user may have chosen something else meanwhile.
        await update(room) { if $0.notifications == notifications { $0.isUnshared = false } }
    }

    /// What this program is, for settings of some kinds of program.
    private static let identity = DiscoveryInformation.Identity(category: "client", type: "pc")

    /// Takes over what another device has set, unless the user has chosen something here that the others do not know yet.
    private func follow(_ bookmark: Bookmark, of room: JID) async {
        let wanted = bookmark.notifications?.level(for: Self.identity).map { ConversationSettings.Notifications($0) }
        let key = key(of: room)
        let own = try? await context.store.read { reader throws(StoreError) in
            try reader.conversation(key).flatMap { id throws(StoreError) in try reader.conversation(id)?.settings }
        }
        if let own, own.isUnshared, own.notifications != wanted {
            try? await publish(own.notifications, of: room)
        } else if let wanted, own != nil || bookmark.joinsAutomatically {
            await update(room, opens: true) { settings in
                guard !settings.isUnshared || settings.notifications == wanted else { return }
                settings.notifications = wanted
                settings.isUnshared = false
            }
        }
    }

    private func key(of room: JID) -> ConversationKey {
        ConversationKey(account: context.id, address: room.bare, kind: .room)
    }

    /// Changes the settings of the conversation.
    ///
    /// - Parameter opens: whether a missing conversation is added.
    private func update(
        _ room: JID, opens: Bool = false, _ body: @escaping @Sendable (inout ConversationSettings) -> Void
    ) async {
        let key = key(of: room)
        await context.save { writer throws(StoreError) in
            let found = opens ? try writer.openConversation(key) : try writer.conversation(key)
            guard let id = found, let old = try writer.conversation(id)?.settings else { return }
            var settings = old
            body(&settings)
            if settings != old { try writer.update(settings, of: id) }
        }
    }

    private func change(_ room: JID, _ body: @Sendable (inout Bookmark) -> Void) async throws(ClientError) {
        guard let bookmarks = context.session?[Bookmarks.self] else { throw .notConnected }
        try await bookmarks.change(room, body)
    }

    /// Joins the rooms that another device of this account joins.
    func run(in session: Session) async {
        guard let bookmarks = session[Bookmarks.self] else { return }
        let connections = session.events([.connection])
        await withDiscardingTaskGroup { group in
            group.addTask {
                // A new login reads all bookmarks again.
                for await batch in connections {
                    for case .connection(.online(_, isResumed: true)) in batch {
                        for (room, bookmark) in await bookmarks.all { await follow(bookmark, of: room) }
                    }
                }
            }
            for await event in bookmarks.events() {
                switch event {
                case .populated: for (room, bookmark) in await bookmarks.all { await changed(room, bookmark) }
                case .changed(let room, let bookmark): await changed(room, bookmark)
                case .removed(let room): context.events.post(.room(room))
                }
            }
            group.cancelAll()
        }
    }

    private func changed(_ room: JID, _ bookmark: Bookmark) async {
        if bookmark.joinsAutomatically {
            await rooms.enter(bookmarked: room, nickname: bookmark.nickname, name: bookmark.title)
        }
        await follow(bookmark, of: room)
        context.events.post(.room(room))
    }
}

extension Bookmarks {
    /// Changes the bookmark of a room. What the caller does not change is preserved, such as the name given by the user.
    func change(_ room: JID, _ body: @Sendable (inout Bookmark) -> Void) async throws(ClientError) {
        var bookmark = all[room.bare] ?? Bookmark()
        body(&bookmark)
        try await set(bookmark, for: room.bare)
    }
}

extension NotificationSettings.Level {
    init(_ notifications: ConversationSettings.Notifications) {
        self =
            switch notifications {
            case .all: .always
            case .mentions: .onMention
            case .none: .never
            }
    }
}

extension ConversationSettings.Notifications {
    init(_ level: NotificationSettings.Level) {
        self =
            switch level {
            case .always: .all
            case .onMention: .mentions
            case .never: .none
            }
    }
}

/// A bookmarked room.
public struct RoomBookmark: Hashable, Sendable {
    /// The name given by the user.
    public var name: String?
    public var nickname: String?
    /// Whether it is joined at each connection.
    public var joinsAutomatically: Bool

    init(_ bookmark: Bookmark) {
        name = bookmark.title.flatMap { $0.isEmpty ? nil : $0 }
        nickname = bookmark.nickname
        joinsAutomatically = bookmark.joinsAutomatically
    }
}

/// The unanswered room invitations since the program started.
public final actor InvitationService {
    private let context: AccountContext
    /// The unanswered invitations, oldest first.
    public private(set) var waiting: [RoomInvitation] = []
    /// The names of their rooms. Only the room of a contact's invitation is asked: the question shows that this account is
    /// online.
    public private(set) var names: [JID: String] = [:]

    /// The maximum number of invitations; the oldest ones beyond it are dropped.
    static let limit = 50

    init(_ context: AccountContext) { self.context = context }

    /// Declines; the inviter is notified if the room supports it.
    public func decline(_ room: JID) async throws(GroupChatError) {
        if let invitation = invitation(to: room), invitation.isMediated, let chat = try? context.groupChat() {
            try await chat.decline(invitation)
        }
        forget(room)
    }

    func invitation(to room: JID) -> RoomInvitation? { waiting.first { $0.room == room.bare } }

    func forget(_ room: JID) {
        guard invitation(to: room) != nil else { return }
        waiting.removeAll { $0.room == room.bare }
        names[room.bare] = nil
        context.events.post(.invitations)
    }

    func run(in session: Session) async {
        guard let chat = session[GroupChat.self] else { return }
        await withDiscardingTaskGroup { group in
            for await event in chat.events() {
                guard case .invitation(let invitation) = event else { continue }
                if await chat.room(invitation.room)?.isInside == true { continue }
                received(invitation)
                guard let inviter = invitation.inviter, await session.follows(inviter) else { continue }
                group.addTask { await self.askName(of: invitation.room.bare, chat) }
            }
            group.cancelAll()
        }
    }

    private func received(_ invitation: RoomInvitation) {
        waiting.removeAll { $0.room == invitation.room.bare }
        if waiting.count >= Self.limit { names[waiting.removeFirst().room] = nil }
        var stored = invitation
        stored.room = invitation.room.bare
        waiting.append(stored)
        context.events.post(.invitations)
    }

    private func askName(of room: JID, _ chat: GroupChat) async {
        guard let name = try? await chat.information(of: room).name, invitation(to: room) != nil else { return }
        guard let line = RoomState.name(name) else { return }
        names[room] = line
        context.events.post(.invitations)
    }
}
