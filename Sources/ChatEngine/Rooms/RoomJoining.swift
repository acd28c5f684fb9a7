internal import ChatStore
internal import GroupChat
internal import MessageFeatures
internal import Waiting
internal import XMPPAddress
internal import XMPPClient

/// Joins the rooms of one account, joins them again in every session, and records why one could not be joined.
actor RoomJoining {
    private let context: AccountContext
    private let stored: StoredRooms
    private let history: HistoryService
    private let invitations: InvitationService
    private let pictures: RoomPictures
    /// Rooms to join and observe, for the task that does it; replaced when a session ends.
    private var jobs = AsyncStream.makeStream(of: JID.self)
    /// Why this account is not in rooms that it should be in, by bare address.
    private var absences: [JID: RoomAbsence] = [:]
    /// Rooms that were visited although the account does not join its rooms automatically.
    private var visited: Set<JID> = []
    /// The names that the rooms have given themselves, as far as they were asked in this session.
    private var ownNames: [JID: String] = [:]
    /// Rooms that this device is destroying or has destroyed.
    private var destroyed: Set<JID> = []

    init(_ context: AccountContext, history: HistoryService, invitations: InvitationService, pictures: RoomPictures) {
        self.context = context
        stored = StoredRooms(context)
        self.history = history
        self.invitations = invitations
        self.pictures = pictures
    }

    // MARK: Commands

    /// Joins a room, now and whenever the account connects, on all devices.
    ///
    /// - Throws: `GroupChatError` with `nicknameTaken`, `passwordRequired`, `membersOnly` …, or `connection` without a
    ///   connection; then the room is not stored.
    func enter(_ room: JID, nickname: String, password: String?) async throws(GroupChatError) {
        try await enter(room, nickname: nickname, password: password, creating: nil)
    }

    /// Joins the room of an invitation.
    func acceptInvitation(to room: JID, nickname: String) async throws(GroupChatError) {
        let invitation = await invitations.invitation(to: room)
        try await enter(room, nickname: nickname, password: invitation?.password)
        await invitations.forget(room)
    }

    /// Creates a room with these settings and joins it.
    ///
    /// - Throws: `GroupChatError` with `alreadyThere` if the room exists, and the errors of
    ///   ``enter(_:nickname:password:)``. A room that could not be configured is destroyed.
    func create(_ room: JID, nickname: String, settings: RoomSettings) async throws(GroupChatError) {
        let chat = try context.groupChat()
        do throws(GroupChatError) {
            _ = try await chat.information(of: room)
            throw GroupChatError(.alreadyThere, "There is a room of this address already.")
        } catch  where error.code == .notFound {
            // This is the expected result.
        }
        destroyed.remove(room.bare)
        try await enter(room, nickname: nickname, password: nil, creating: settings)
    }

    /// Destroys a room (XEP-0045 §10.9).
    func destroy(_ room: JID, reason: String?) async throws(GroupChatError) {
        let joined = try context.joinedRoom(room)
        destroyed.insert(room.bare)
        do throws(GroupChatError) {
            try await joined.destroy(reason: reason)
        } catch {
            destroyed.remove(room.bare)
            throw error
        }
        await leave(room)
    }

    /// Leaves a room permanently; its messages remain.
    func leave(_ room: JID) async {
        absences[room.bare] = nil
        await stored.change(room) { $0.joinsAutomatically = false }
        if let session = context.session {
            await session[GroupChat.self]?.room(room)?.leave()
            try? await session[Bookmarks.self]?.remove(room.bare)
        }
        context.events.post(.room(room.bare))
    }

    /// The current state of a room.
    func state(of room: JID) async -> RoomState {
        guard let joined = context.session?[GroupChat.self]?.room(room), await joined.isInside else {
            return RoomState(isInside: false, absence: absences[room.bare])
        }
        let people = await joined.occupants.values.map { RoomState.Person($0) }
        return RoomState(
            isInside: true, nickname: await joined.nickname, subject: await joined.subject?.text,
            people: people.sorted { $0.nickname < $1.nickname })
    }

    // MARK: Joining

    /// - Parameter settings: the settings of a room to create; `nil` for the defaults of the service.
    private func enter(
        _ room: JID, nickname: String, password: String?, creating settings: RoomSettings?
    ) async throws(GroupChatError) {
        guard let session = await context.onlineSession, let chat = session[GroupChat.self] else {
            throw .noConnection
        }
        let occupancies = context.recorder.occupancies
        let isKnown = occupancies.all[room.bare] != nil
        // Before the first stanza of the room: the recorder ignores unknown rooms.
        if !isKnown { occupancies.set(RoomOccupancy(nickname: nickname), in: room) }
        do throws(GroupChatError) {
            let visit = RoomVisit(
                nickname: nickname, password: password, creation: settings == nil ? .withDefaults : .configuring)
            try await enter(room, visit, chat)
            if let settings, let joined = chat.room(room) { try await joined.configureNew(settings) }
        } catch {
            if !isKnown { occupancies.set(nil, in: room) }
            throw error
        }
        if let name = settings?.name, !name.isEmpty { ownNames[room.bare] = name }
        let ownName = ownNames[room.bare]
        let occupancy = occupancies.all[room.bare]
        await stored.save(room) { stored in
            stored.nickname = occupancy?.nickname ?? nickname
            stored.occupantID = occupancy?.believedOccupantID
            stored.joinsAutomatically = true
            if settings != nil || stored.name?.isEmpty ?? true { stored.name = ownName ?? stored.name }
        }
        jobs.continuation.yield(room.bare)
        await invitations.forget(room)
        if let bookmarks = session[Bookmarks.self] {
            try? await bookmarks.change(room) { bookmark in
                bookmark.joinsAutomatically = true
                bookmark.nickname = nickname
                bookmark.password = password
            }
        }
    }

    private func enter(_ room: JID, _ visit: RoomVisit, _ chat: GroupChat) async throws(GroupChatError) {
        // A session that has just begun first resets its rooms.
        try? await context.session?.waitUntilOnline()
        var visit = visit
        // Earlier messages come from the archive, in order and without gaps. A room that does not exist yet has none.
        let information = try await chat.announcement(of: room)
        if information?.hasArchive == true { visit.history = RoomEntrance.History.none }
        try await chat.enter(room, visit)
        if let name = information?.name { await named(name, room) }
    }

    /// The name that a room has given itself, if it was asked in this session.
    func ownName(of room: JID) -> String? { ownNames[room.bare] }

    /// Stores the name of a room, unless its bookmark has one of the user; before the bookmarks are known, any stored name may be.
    private func named(_ name: String, _ room: JID) async {
        guard let name = RoomState.name(name) else { return }
        let before = ownNames.updateValue(name, forKey: room.bare)
        let bookmarks = context.session?[Bookmarks.self]
        let areKnown = await bookmarks?.isPopulated ?? false
        if areKnown, await bookmarks?.all[room.bare]?.title?.isEmpty == false { return }
        await stored.change(room) { if areKnown || $0.name?.isEmpty ?? true || $0.name == before { $0.name = name } }
    }

    /// The settings of a room have changed: perhaps its name, or who can join.
    private func configured(_ room: JID) async {
        let joined = context.session?[GroupChat.self]?.room(room)
        if let name = await joined?.refreshInformation()?.name { await named(name, room) }
    }

    /// Joins a known room unless it is joined; now, or when the account connects (``ChatAccountPolicy/entersRooms``).
    func visit(_ room: JID) async {
        guard visited.insert(room.bare).inserted, let session = await context.onlineSession,
            session[GroupChat.self]?.room(room) == nil
        else { return }
        jobs.continuation.yield(room.bare)
    }

    // MARK: The session

    /// Joins the stored rooms, and observes each of them until the session ends.
    func run(in session: Session) async {
        guard let chat = session[GroupChat.self] else { return }
        var followed: Set<JID> = []
        await withDiscardingTaskGroup { group in
            for await room in jobs.stream where followed.insert(room).inserted {
                group.addTask { await self.follow(room, chat) }
            }
            group.cancelAll()
        }
    }

    func sessionEnded() {
        jobs.continuation.finish()
        jobs = AsyncStream.makeStream()
    }

    /// Ensures that this account is in its rooms after the session was resumed or began.
    func returnToRooms(in session: Session) async {
        guard let chat = session[GroupChat.self] else { return }
        let id = context.id
        let known = try? await context.store.read { reader throws(StoreError) in try reader.rooms(of: id) }
        for room in known ?? []
        where visited.contains(room.address) || context.policy.entersRooms && room.joinsAutomatically {
            if let joined = chat.room(room.address) {
                // The session has already joined the room again, and its history may have come too early.
                if await joined.isInside { await entered(room.address) }
            } else {
                jobs.continuation.yield(room.address)
            }
        }
    }

    /// Joins a bookmarked room.
    func enter(bookmarked room: JID, nickname: String?, name: String?) async {
        let ours = nickname ?? context.nickname
        let occupancies = context.recorder.occupancies
        if occupancies.all[room.bare] == nil { occupancies.set(RoomOccupancy(nickname: ours), in: room) }
        let ownName = ownNames[room.bare]
        await stored.save(room) { stored in
            stored.nickname = stored.nickname ?? ours
            stored.name = name ?? ownName ?? stored.name
            stored.joinsAutomatically = true
        }
        if context.policy.entersRooms || visited.contains(room.bare) { jobs.continuation.yield(room.bare) }
    }

    private func follow(_ room: JID, _ chat: GroupChat) async {
        if chat.room(room) == nil {
            let nickname = context.occupancies[room]?.nickname ?? context.nickname
            do throws(GroupChatError) {
                try await enter(room, RoomVisit(nickname: nickname, isKept: true), chat)
            } catch {
                context.events.post(.problem(.room(room, error)))
                // The room had no observer yet, so its event for this failure was missed.
                absences[room] = RoomAbsence(error, isTriedAgain: await chat.room(room)?.visit != nil)
                context.events.post(.room(room))
            }
        }
        guard let joined = chat.room(room) else { return }
        let events = joined.events()
        if await joined.isInside { await entered(room) }
        await withDiscardingTaskGroup { group in
            // Events are handled while a picture is downloaded. One at a time, so that an older state never replaces a newer one.
            let changes = Signal()
            changes.send()
            group.addTask { await self.pictures.take(of: room, after: changes) }
            for await event in events {
                if case .configurationChanged = event { changes.send() }
                await happened(event, in: room)
            }
            group.cancelAll()
        }
    }

    private func happened(_ event: RoomEvent, in room: JID) async {
        switch event {
        case .entered: await entered(room)
        case .departed(let departure): await departed(departure, from: room)
        case .subjectChanged(let subject): await stored.change(room) { $0.subject = subject.text }
        case .entranceFailed(let error, let isTriedAgain):
            absences[room] = RoomAbsence(error, isTriedAgain: isTriedAgain)
            if !isTriedAgain { context.events.post(.problem(.room(room, error))) }
        case .message, .privateMessage: return  // The store reports them.
        case .configurationChanged: await configured(room)
        case .occupantEntered, .occupantChanged, .occupantRenamed, .occupantLeft, .voiceRequested: break
        }
        context.events.post(.room(room))
    }

    private func entered(_ room: JID) async {
        absences[room] = nil
        await history.roomEntered(room)
        context.events.post(.room(room))
    }

    private func departed(_ departure: RoomDeparture, from room: JID) async {
        absences[room] = RoomAbsence(departure)
        await context.queue.roomClosed(room)
        await history.roomLeft(room)
        if departure.cause == .destroyed { await ended(room) }
        if !departure.isTemporary, departure.cause != .left {
            context.events.post(.problem(.removed(room, departure)))
        }
    }

    /// A destroyed room must not be joined, because that would create it again, empty.
    private func ended(_ room: JID) async {
        await stored.change(room) { $0.joinsAutomatically = false }
        // The device that destroyed it removes the bookmark.
        guard !destroyed.contains(room), let bookmarks = context.session?[Bookmarks.self],
            await bookmarks.all[room]?.joinsAutomatically == true
        else { return }
        try? await bookmarks.change(room) { $0.joinsAutomatically = false }
    }
}
