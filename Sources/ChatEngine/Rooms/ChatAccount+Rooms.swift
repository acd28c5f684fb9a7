internal import ChatStore
public import GroupChat
internal import MessageFeatures
public import XMPPAddress
internal import XMPPClient

extension ChatAccount {
    // MARK: Wishes

    /// Enters a room, now and whenever the account connects, on all devices.
    ///
    /// - Throws: `GroupChatError` with `nicknameTaken`, `passwordRequired`, `membersOnly` …, or `connection` where there is
    ///   none; the room is not kept then.
    public func enterRoom(
        _ room: JID, nickname: String, password: String? = nil
    ) async throws(GroupChatError) {
        try await enterRoom(room, nickname: nickname, password: password, making: nil)
    }

    /// - Parameter settings: what the room shall be like, where it does not exist; `nil` for what the service makes of it.
    func enterRoom(
        _ room: JID, nickname: String, password: String? = nil, making settings: RoomSettings?
    ) async throws(GroupChatError) {
        guard let session, let chat = session[GroupChat.self], await session.isOnline else {
            throw GroupChatError(.connection, "There is no connection to the server. Connect and try again.")
        }
        let isKnown = recorder.places.all[room.bare] != nil
        // Before the room says a word: the recorder reads nothing of rooms that it does not know.
        if !isKnown { recorder.places.set(RoomPlace(nickname: nickname), in: room) }
        do throws(GroupChatError) {
            let visit = RoomVisit(
                nickname: nickname, password: password, creation: settings == nil ? .withDefaults : .configuring)
            try await enter(room, visit, chat)
            if let settings, let joined = chat.room(room) { try await configure(joined, settings) }
        } catch {
            if !isKnown { recorder.places.set(nil, in: room) }
            throw error
        }
        let (id, key) = (id, ConversationKey(account: id, address: room, kind: .room))
        let place = recorder.places.all[room.bare]
        await keep { writer throws(StoreError) in
            var kept = try writer.rooms(of: id).first { $0.address == room.bare } ?? StoredRoom(address: room)
            kept.nickname = place?.nickname ?? nickname
            kept.occupantID = place?.believedOccupantID
            kept.joinsAutomatically = true
            if let name = settings?.name, !name.isEmpty { kept.name = name }
            try writer.save(kept, of: id)
            _ = try writer.openConversation(key)
        }
        roomJobs?.yield(room.bare)
        forgetInvitation(to: room)
        if let bookmarks = session[Bookmarks.self] {
            // What is kept there beside this, such as the person's own name for the room, stays.
            var bookmark = await bookmarks.all[room.bare] ?? Bookmark()
            bookmark.entersAutomatically = true
            bookmark.nickname = nickname
            bookmark.password = password
            if let name = settings?.name, !name.isEmpty { bookmark.title = name }
            try? await bookmarks.set(bookmark, for: room.bare)
        }
    }

    /// Opens a room that was made for this account; one that cannot be made so is not left behind.
    private func configure(_ joined: Room, _ settings: RoomSettings) async throws(GroupChatError) {
        do throws(GroupChatError) {
            try await joined.configure(settings.fields)
        } catch {
            try? await joined.destroy()
            await joined.leave()
            throw error
        }
    }

    /// Leaves a room for good; what was said there stays.
    public func leaveRoom(_ room: JID) async {
        let id = id
        roomAbsences[room.bare] = nil
        await keep { writer throws(StoreError) in
            guard var kept = try writer.rooms(of: id).first(where: { $0.address == room.bare }) else { return }
            kept.joinsAutomatically = false
            try writer.save(kept, of: id)
        }
        if let session {
            await session[GroupChat.self]?.room(room)?.leave()
            try? await session[Bookmarks.self]?.remove(room.bare)
        }
        channel.post(.room(room.bare))
    }

    /// A room as it is now.
    public func roomState(_ room: JID) async -> RoomState {
        let address = room.bare
        guard let room = session?[GroupChat.self]?.room(room), await room.isInside else {
            return RoomState(isInside: false, absence: roomAbsences[address])
        }
        let people = await room.occupants.values.map { RoomState.Person($0) }
        return RoomState(
            isInside: true, nickname: await room.nickname, subject: await room.subject?.text,
            people: people.sorted { $0.nickname < $1.nickname })
    }

    // MARK: The session

    /// Enters the rooms that are kept, and follows each as long as the session lives.
    func followRooms(_ rooms: AsyncStream<JID>, in session: Session) async {
        guard let chat = session[GroupChat.self] else { return }
        var followed: Set<JID> = []
        await withDiscardingTaskGroup { group in
            for await room in rooms where followed.insert(room).inserted {
                group.addTask { await self.follow(room, chat) }
            }
            group.cancelAll()
        }
    }

    /// Sees to it that this account is in its rooms, after the session was found again or made anew.
    func returnToRooms(in session: Session) async {
        guard let chat = session[GroupChat.self] else { return }
        let id = id
        let kept = try? await store.read { reader throws(StoreError) in try reader.rooms(of: id) }
        for room in kept ?? [] where room.joinsAutomatically {
            if let joined = chat.room(room.address) {
                // The session has brought this account back already, and its history may have come too early.
                if await joined.isInside { await enteredRoom(room.address) }
            } else {
                roomJobs?.yield(room.address)
            }
        }
    }

    private func follow(_ room: JID, _ chat: GroupChat) async {
        if chat.room(room) == nil {
            let nickname = recorder.places.all[room]?.nickname ?? address.local ?? address.domain
            do throws(GroupChatError) {
                try await enter(room, RoomVisit(nickname: nickname, isKept: true), chat)
            } catch {
                channel.post(.problem(error.description))
                // Nobody follows the room yet, so its own word about this was missed.
                roomAbsences[room] = RoomAbsence(error, isTriedAgain: await chat.room(room)?.visit != nil)
                channel.post(.room(room))
            }
        }
        guard let joined = chat.room(room) else { return }
        let events = joined.events()
        if await joined.isInside { await enteredRoom(room) }
        for await event in events { await happened(event, in: room) }
    }

    private func enter(_ room: JID, _ visit: RoomVisit, _ chat: GroupChat) async throws(GroupChatError) {
        // A session that has just begun first tells the rooms that it is another one.
        try? await session?.waitUntilOnline()
        var visit = visit
        // What was said before comes from the archive, in order and without a hole. A room that is not there yet has none.
        let information = try? await chat.information(of: room)
        if information?.hasArchive == true { visit.history = RoomEntrance.History.none }
        try await chat.enter(room, visit)
    }

    private func happened(_ event: RoomEvent, in room: JID) async {
        switch event {
        case .entered: await enteredRoom(room)
        case .departed(let departure):
            roomAbsences[room] = RoomAbsence(departure)
            await queue.roomClosed(room)
            proceed(sync.roomLeft(room, now: .now))
            if departure.cause == .destroyed { await roomEnded(room) }
            if !departure.isTemporary, departure.cause != .left {
                channel.post(.problem("\(room): \(departure.reason ?? "\(departure.cause)")"))
            }
        case .subjectChanged(let subject):
            let id = id
            await keep { writer throws(StoreError) in
                guard var kept = try writer.rooms(of: id).first(where: { $0.address == room }) else { return }
                kept.subject = subject.text
                try writer.save(kept, of: id)
            }
        case .entranceFailed(let error, let isTriedAgain):
            roomAbsences[room] = RoomAbsence(error, isTriedAgain: isTriedAgain)
            if !isTriedAgain { channel.post(.problem("\(room): \(error.description)")) }
        case .occupantEntered, .occupantChanged, .occupantRenamed, .occupantLeft, .message, .privateMessage,
            .configurationChanged, .retracted:
            break
        }
        channel.post(.room(room))
    }

    /// Who enters a room that is not there any more makes it anew, and alone.
    private func roomEnded(_ room: JID) async {
        let id = id
        await keep { writer throws(StoreError) in
            guard var kept = try writer.rooms(of: id).first(where: { $0.address == room }) else { return }
            kept.joinsAutomatically = false
            try writer.save(kept, of: id)
        }
        // Who has ended it forgets it.
        guard !roomsEndedHere.contains(room), let bookmarks = session?[Bookmarks.self],
            var bookmark = await bookmarks.all[room], bookmark.entersAutomatically
        else { return }
        bookmark.entersAutomatically = false
        try? await bookmarks.set(bookmark, for: room)
    }

    private func enteredRoom(_ room: JID) async {
        roomAbsences[room] = nil
        let gaps = await knownGaps(of: room, with: nil)
        proceed(sync.roomEntered(room, gaps: gaps, now: .now))
        channel.post(.room(room))
    }

    /// Invitations, and rooms that another device of this account has entered.
    func followBookmarks(in session: Session) async {
        guard let bookmarks = session[Bookmarks.self] else { return }
        for await event in bookmarks.events() {
            switch event {
            case .populated:
                for (room, bookmark) in await bookmarks.all {
                    await bookmarked(room, bookmark)
                    channel.post(.room(room))
                }
            case .changed(let room, let bookmark):
                await bookmarked(room, bookmark)
                channel.post(.room(room))
            case .removed(let room): channel.post(.room(room))
            }
        }
    }

    private func bookmarked(_ room: JID, _ bookmark: Bookmark) async {
        guard bookmark.entersAutomatically else { return }
        let nickname = bookmark.nickname ?? address.local ?? address.domain
        if recorder.places.all[room.bare] == nil { recorder.places.set(RoomPlace(nickname: nickname), in: room) }
        let (id, key) = (id, ConversationKey(account: id, address: room, kind: .room))
        await keep { writer throws(StoreError) in
            var kept = try writer.rooms(of: id).first { $0.address == room.bare } ?? StoredRoom(address: room)
            kept.nickname = kept.nickname ?? nickname
            kept.name = bookmark.title ?? kept.name
            kept.joinsAutomatically = true
            try writer.save(kept, of: id)
            _ = try writer.openConversation(key)
        }
        roomJobs?.yield(room.bare)
    }
}
