internal import PublishSubscribe
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient

/// The bookmarks of the account, the same on all its devices (XEP-0402 PEP Native Bookmarks).
///
/// Needs the extension `PublishSubscribe`. With the extension ``GroupChat`` beside it, rooms marked so are entered when the
/// session begins and when another device marks them, and left when another device takes the mark or the bookmark away (§4).
public actor Bookmarks: SessionExtension {
    /// How many bookmarks are kept: more is a mistake of some program.
    private static let limit = 4096

    private enum Job {
        case enter(JID)
        case leave(JID)
    }

    private let session: Session
    /// The nickname for rooms whose bookmark names none.
    private let nickname: String?
    private let entersAutomatically: Bool
    private let history: RoomEntrance.History?
    private let channel = EventChannel<BookmarkEvent>()
    private nonisolated let jobs = AsyncStream.makeStream(of: Job.self)

    /// The bookmarks, by the address of the room.
    public private(set) var all: [JID: Bookmark] = [:]
    /// Whether the list is complete.
    public private(set) var isPopulated = false

    /// - Parameters:
    ///   - nickname: For rooms whose bookmark names none; by default the local part of the own address.
    ///   - entersAutomatically: Whether rooms that are marked so are entered and left.
    ///   - history: How much of what was said before rooms shall send; `nil` leaves it to them.
    public init(
        _ session: Session, nickname: String? = nil, entersAutomatically: Bool = true,
        history: RoomEntrance.History? = nil
    ) {
        self.session = session
        self.nickname = nickname
        self.entersAutomatically = entersAutomatically
        self.history = history
    }

    /// What happens to the bookmarks from now on.
    public nonisolated func events() -> AsyncStream<BookmarkEvent> { channel.stream() }

    // MARK: What the person wants

    /// Asks the server for the bookmarks. When that fails, what is known stays.
    public func fetch() async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { return }
        var found: [JID: Bookmark] = [:]
        do throws(ClientError) {
            for item in try await data.items(of: Bookmark.node).items.prefix(Self.limit) {
                if let (room, bookmark) = Self.read(item) { found[room] = bookmark }
            }
        } catch  where error.isItemNotFound {
            // There never was a bookmark.
        }
        let known = all
        all = found
        isPopulated = true
        channel.post(.populated)
        for room in Set(known.keys).union(found.keys) { follow(room, from: known[room], to: found[room]) }
    }

    /// Remembers a room, or changes what is remembered of it, on all devices.
    public func set(_ bookmark: Bookmark, for room: JID) async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        let room = room.bare
        try await data.publish(bookmark, id: room.description, in: Bookmark.node, configuration: .privateList)
        changed(room, bookmark)
    }

    /// Forgets a room on all devices.
    public func remove(_ room: JID) async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        do throws(ClientError) {
            try await data.retract(room.bare.description, from: Bookmark.node)
        } catch  where error.isItemNotFound {
            // Another device was quicker.
        }
        removed(room.bare)
    }

    // MARK: What the session reports

    /// The events are of no use without the extension that reads them.
    public nonisolated var features: [String] {
        session[PublishSubscribe.self] == nil ? [] : [PublishSubscribe.interest(in: Bookmark.node)]
    }

    /// Rooms hear of a new session before a bookmark enters them.
    public nonisolated var startsAfter: [any SessionExtension.Type] { [GroupChat.self] }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        // In a new process nothing is known, even of a session that goes on.
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

    /// Believed from the own account only (§4.3): others have nodes of the same name.
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

    /// Enters or leaves a room as its bookmark says (§4.2, §4.3). A room that never was to be entered automatically, but that the
    /// person has entered, is left only with its bookmark.
    private func follow(_ room: JID, from old: Bookmark?, to new: Bookmark?) {
        guard entersAutomatically else { return }
        if new?.entersAutomatically == true {
            jobs.continuation.yield(.enter(room))
        } else if old != nil, new == nil || old?.entersAutomatically == true {
            jobs.continuation.yield(.leave(room))
        }
    }

    private func perform(_ job: Job) async {
        guard let rooms = session[GroupChat.self] else { return }
        switch job {
        case .enter(let address):
            guard await rooms.room(address)?.visit == nil, let bookmark = all[address], bookmark.entersAutomatically,
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

    /// An item is called by the address of its room (§3.1); what is not is left out.
    private static func read(_ item: PublishedItem) -> (JID, Bookmark)? {
        guard let id = item.id, let room = try? JID(id), room.isBare,
            let bookmark = (try? item.decode(Bookmark.self)) ?? nil
        else { return nil }
        return (room, bookmark)
    }

    private static let unavailable = ClientError(
        .invalidConfiguration, "Bookmarks need the extension PublishSubscribe in the configuration.")
}
