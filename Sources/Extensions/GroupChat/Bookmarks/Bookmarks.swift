internal import PublishSubscribe
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient

/// The account's bookmarks, shared by all its devices (XEP-0402 PEP Native Bookmarks).
///
/// Where there are none yet, those of older programs are read (``LegacyBookmarks``); the first change here stores them
/// in the new form, and the old one stays as it is.
///
/// Requires the extension `PublishSubscribe`. Together with ``GroupChat``, rooms with automatic joining are joined when
/// the session starts and when another device enables it, and left when another device disables it or removes the
/// bookmark (§4).
public final actor Bookmarks: SessionExtension {
    /// The maximum number of bookmarks; a larger list is a fault of some client.
    static let limit = 4096

    private enum Job {
        case enter(JID)
        case leave(JID)
    }

    private let session: Session
    /// The nickname for rooms whose bookmark has none.
    private let nickname: String?
    private let joinsAutomatically: Bool
    private let history: RoomEntrance.History?
    private let channel = EventChannel<BookmarkEvent>()
    private nonisolated let jobs = AsyncStream.makeStream(of: Job.self)

    /// The bookmarks by the address of the room.
    public private(set) var all: [JID: Bookmark] = [:]
    /// Whether the list is complete.
    public private(set) var isPopulated = false
    /// Whether the list was stored by older programs only.
    public private(set) var isLegacy = false

    /// - Parameters:
    ///   - nickname: for rooms whose bookmark has none; by default the local part of the account's address.
    ///   - joinsAutomatically: whether rooms are joined and left as their bookmarks state.
    ///   - history: how much history rooms should send; `nil` leaves it to them.
    public init(
        _ session: Session, nickname: String? = nil, joinsAutomatically: Bool = true,
        history: RoomEntrance.History? = nil
    ) {
        self.session = session
        self.nickname = nickname
        self.joinsAutomatically = joinsAutomatically
        self.history = history
    }

    /// The changes of the bookmarks from now on.
    public nonisolated func events() -> AsyncStream<BookmarkEvent> { channel.stream() }

    // MARK: Commands

    /// Requests the bookmarks from the server. If this fails, the known ones stay.
    public func fetch() async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { return }
        var found: [JID: Bookmark] = [:]
        var isLegacy = false
        do throws(ClientError) {
            for item in try await data.items(of: Bookmark.node).items.prefix(Self.limit) {
                if let (room, bookmark) = Self.read(item) { found[room] = bookmark }
            }
        } catch  where error.isItemNotFound {
            found = try await legacyBookmarks(in: data)
            isLegacy = !found.isEmpty
        }
        let known = all
        all = found
        self.isLegacy = isLegacy
        isPopulated = true
        channel.post(.populated)
        for room in Set(known.keys).union(found.keys) { follow(room, from: known[room], to: found[room]) }
    }

    /// What older programs have stored: as a personal event, or in private storage (XEP-0048 §3).
    private func legacyBookmarks(in data: PublishSubscribe) async throws(ClientError) -> [JID: Bookmark] {
        var stored: LegacyBookmarks?
        do throws(ClientError) {
            let item = try await data.items(of: LegacyBookmarks.node, maximum: 1).items.last
            stored = (try? item?.decode(LegacyBookmarks.self)) ?? nil
        } catch  where error.stanzaError != nil {
            // There is no such node.
        }
        if stored?.rooms.isEmpty ?? true {
            do throws(ClientError) {
                let answer = try await session.request(PrivateXMLRequest(LegacyBookmarks.name))
                stored = answer.element.flatMap { try? LegacyBookmarks(from: $0) }
            } catch  where error.stanzaError != nil {
                // The server has no private storage, or nothing is in it.
            }
        }
        return Dictionary(
            (stored?.rooms ?? []).map { ($0.room, $0.bookmark) }, uniquingKeysWith: { first, _ in first })
    }

    /// Stores the bookmarks of older programs in the new form, before the first change would hide them.
    private func adoptLegacyBookmarks(in data: PublishSubscribe) async throws(ClientError) {
        guard isLegacy else { return }
        for (room, bookmark) in all {
            try await data.publish(bookmark, id: room.description, in: Bookmark.node, configuration: .privateList)
        }
        isLegacy = false
    }

    /// Adds or changes a bookmark on all devices.
    public func set(_ bookmark: Bookmark, for room: JID) async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        let room = room.bare
        try await adoptLegacyBookmarks(in: data)
        try await data.publish(bookmark, id: room.description, in: Bookmark.node, configuration: .privateList)
        changed(room, bookmark)
    }

    /// Removes a bookmark on all devices.
    public func remove(_ room: JID) async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        try await adoptLegacyBookmarks(in: data)
        do throws(ClientError) {
            try await data.retract(room.bare.description, from: Bookmark.node)
        } catch  where error.isItemNotFound {
            // Another device has already removed it.
        }
        removed(room.bare)
    }

    // MARK: Session events

    /// The events are only useful with the extension that reads them.
    public nonisolated var features: [String] {
        session[PublishSubscribe.self] == nil ? [] : [PublishSubscribe.interest(in: Bookmark.node)]
    }

    /// Rooms process the start of a session before a bookmark joins them.
    public nonisolated var startsAfter: [any SessionExtension.Type] { [GroupChat.self] }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        // In a new process nothing is known, even if the session was resumed.
        if !isResumed || !isPopulated { try await fetch() }
    }

    public nonisolated func run(in session: Session) async {
        await withDiscardingTaskGroup { group in
            if let data = session[PublishSubscribe.self] {
                let notices = data.notices()
                group.addTask { for await notice in notices { await self.noticed(notice) } }
            }
            for await job in self.jobs.stream { group.addTask { await self.perform(job) } }
            group.cancelAll()
        }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
        jobs.continuation.finish()
    }

    /// Accepted from our own account only (§4.3), because other accounts can have nodes of the same name.
    func noticed(_ notice: PublishSubscribeNotice) async {
        guard notice.event.node == Bookmark.node, notice.service == (await session.address)?.bare else { return }
        switch notice.event {
        case .items(_, let published, let retracted):
            for item in published {
                if let (room, bookmark) = Self.read(item) { changed(room, bookmark) }
            }
            for id in retracted {
                if let room = try? JID(id) { removed(room) }
            }
        case .purged, .removed: for room in all.keys { removed(room) }
        case .configured, .subscription: break
        }
    }

    private func changed(_ room: JID, _ bookmark: Bookmark) {
        let known = all[room]
        guard known != bookmark, known != nil || all.count < Self.limit else { return }
        all[room] = bookmark
        channel.post(.changed(room: room, bookmark))
        follow(room, from: known, to: bookmark)
    }

    private func removed(_ room: JID) {
        guard let known = all.removeValue(forKey: room) else { return }
        channel.post(.removed(room: room))
        follow(room, from: known, to: nil)
    }

    /// Joins or leaves a room as its bookmark states (§4.2, §4.3). A room without automatic joining that the user
    /// joined is left only when its bookmark is removed.
    private func follow(_ room: JID, from old: Bookmark?, to new: Bookmark?) {
        guard joinsAutomatically else { return }
        if new?.joinsAutomatically == true {
            jobs.continuation.yield(.enter(room))
        } else if old != nil, new == nil || old?.joinsAutomatically == true {
            jobs.continuation.yield(.leave(room))
        }
    }

    private func perform(_ job: Job) async {
        guard let rooms = session[GroupChat.self] else { return }
        switch job {
        case .enter(let address):
            guard await rooms.room(address)?.visit == nil, let bookmark = all[address], bookmark.joinsAutomatically,
                let nickname = await nickname(for: bookmark)
            else { return }
            _ = try? await rooms.enter(
                address, RoomVisit(nickname: nickname, password: bookmark.password, history: history, isKept: true))
        case .leave(let address): await rooms.room(address)?.leave()
        }
    }

    private func nickname(for bookmark: Bookmark) async -> String? {
        if let nickname = bookmark.nickname, !nickname.isEmpty { return nickname }
        if let nickname { return nickname }
        return await session.address?.local
    }

    /// The id of an item is the address of its room (§3.1); other items are ignored.
    private static func read(_ item: PublishedItem) -> (JID, Bookmark)? {
        guard let id = item.id, let room = try? JID(id), room.isBare,
            let bookmark = (try? item.decode(Bookmark.self)) ?? nil
        else { return nil }
        return (room, bookmark)
    }

    private static let unavailable = ClientError(
        .invalidConfiguration, "Bookmarks need the extension PublishSubscribe in the configuration.")
}
