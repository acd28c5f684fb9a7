internal import Blocking
internal import ChatStore
internal import ClientState
internal import EntityInformation
internal import FileSharing
internal import GroupChat
internal import MessageFeatures
internal import MessageHistory
internal import Profiles
internal import PublishSubscribe
internal import Roster
internal import ServiceDiscovery
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension ChatAccount {
    /// Stays online until ``close()``, until the task is cancelled, or until the server refuses for good.
    ///
    /// - Throws: `ClientError` for what ended it, such as a wrong password or a store that cannot be written to.
    public func run() async throws {
        let following = contents.map { contents in Task { await contents.run() } }
        defer { following?.cancel() }
        if earlierRequests == nil { earlierRequests = await recorder.rememberedRequests() }
        try await Client(fullConfiguration).run(from: .connecting) { session in
            await self.work(in: session)
        }
    }

    /// Says goodbye and ends ``run()``.
    public func close() async {
        guard let session else { return }
        if await session.isOnline { await leaveThreads(session) }
        await session.close()
    }

    private var fullConfiguration: ClientConfiguration {
        var configuration = configuration
        let policy = policy
        // What came while nobody was here is fetched from the archive, so the server need not keep it apart.
        configuration.negotiation = .forArchiveReaders
        configuration.store = recorder
        // Messages can be written without a network, so that nobody is there when the program starts is nothing special.
        configuration.reconnection.retriesFirstLogin = true
        configuration.add {
            ServiceDiscovery(
                $0, identity: .init(category: "client", type: policy.programType, name: policy.programName))
        }
        configuration.add { _ in EntityInformation() }
        let recorder = recorder
        let people = PeopleDirectory(people: recorder.people, store: store, account: id)
        configuration.add { _ in people }
        configuration.add { Roster($0, policy: policy.contacts) { await recorder.rememberedPresences() } }
        configuration.add { _ in PresenceStart { await self.announce(isResumed: $1, in: $0) } }
        configuration.add { _ in DeliveryReceipts { [self] in disclosesReceipts.withLock { $0 } } }
        configuration.add { _ in DisplayedMarkers { [self] in disclosesReceipts.withLock { $0 } } }
        configuration.add { _ in MessageKinds.all }
        configuration.add { _ in OriginIdentifiers() }
        configuration.add { _ in Carbons() }
        configuration.add { MessageArchive($0) }
        configuration.add { ClientState($0, settlingTime: policy.settlingTime) }
        configuration.add { PublishSubscribe($0) }
        configuration.add { DisplayedPositions($0) }
        configuration.add { Blocking($0) }
        configuration.add { Profiles($0) }
        configuration.add {
            GroupChat(
                $0,
                onInformation: { room, information, isEntering in
                    recorder.places.announced(information, by: room, isEntering: isEntering)
                })
        }
        configuration.add { Bookmarks($0, entersAutomatically: false) }
        let trust = configuration.trust
        configuration.add { FileSharing($0, http: HTTPClient(configuration: .init(trust: trust))) }
        configuration.add { _ in HistoryStart { await self.beginHistory(isResumed: $1) } }
        configuration.add { _ in RoomsStart { session, _ in await self.returnToRooms(in: session) } }
        return configuration
    }

    private func work(in session: Session) async {
        // All before the first await: what a session that begins meanwhile wants done must find somebody who does it.
        self.session = session
        isHistoryOwed = true
        archivePreferences = nil
        searched = []
        threads = [:]
        let (history, historyActions) = AsyncStream.makeStream(of: HistorySync.Action.self)
        let (rooms, roomJobs) = AsyncStream.makeStream(of: JID.self)
        self.historyActions = historyActions
        self.roomJobs = roomJobs
        let (connections, connectionsBegun) = AsyncStream.makeStream(of: Void.self)
        self.connectionsBegun = connectionsBegun
        let events = session.events([.messages, .connection])
        let contacts = await session[Roster.self]?.events()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.queue.run(in: session) }
            group.addTask { await self.followOfflineDelivery(connections, in: session) }
            group.addTask { await self.fetchHistory(history, in: session) }
            group.addTask { await self.checkDeliveries() }
            group.addTask { await self.followRooms(rooms, in: session) }
            group.addTask { await self.followBookmarks(in: session) }
            group.addTask { await self.followInvitations(in: session) }
            group.addTask { await self.followReading(in: session) }
            group.addTask { await self.followProfiles(in: session) }
            group.addTask { await self.followBlocking(in: session) }
            if let contacts { group.addTask { for await batch in contacts { await self.rosterChanged(batch) } } }
            show(await session.connectionState)
            if await session.isOnline {
                await wentOnline(isResumed: false, in: session)
                await beginHistory(isResumed: false)
                await returnToRooms(in: session)
            }
            for await batch in events {
                for event in batch { await happened(event, in: session) }
            }
            group.cancelAll()
        }
        self.session = nil
        self.historyActions = nil
        self.roomJobs = nil
        self.connectionsBegun = nil
        wentOffline()
    }

    private func happened(_ event: SessionEvent, in session: Session) async {
        switch event {
        case .connection(.online(_, let isResumed)): await wentOnline(isResumed: isResumed, in: session)
        case .connection(.disconnected):
            recorder.offlineDelivery.connectionLost()
            // Late news: the next connection may have begun already, also while this asks for it.
            let beginning = beginnings
            if await !session.isOnline, beginning == beginnings { sync.disconnected() }
        case .connection(.extensionFailed(_, let error)): channel.post(.problem("\(error)"))
        case .stateChanged(let state): show(state)
        case .message(let message): writingChanged(message)
        default: break
        }
    }

    private func show(_ state: ConnectionState) {
        connectionState = state
        channel.post(.connection(state))
        guard case .offline = state else { return }
        let here = presences.keys
        presences = [:]
        for address in here { channel.post(.presence(address)) }
        let writing = typing.keys
        typing = [:]
        for key in writing { channel.post(.typing(key)) }
    }

    /// Shows this account to its contacts; the server remembers it in a session that goes on.
    private func announce(isResumed: Bool, in session: Session) async {
        guard !isResumed else { return }
        _ = try? await session.send(ownPresence.stanza)
    }

    private func wentOnline(isResumed: Bool, in session: Session) async {
        if !isResumed {
            toldComposing = []
        } else if let roster = session[Roster.self] {
            // Who is there the server says once in a session, and this one goes on; while it was away nobody was shown.
            for contact in await roster.contacts { setPresence(contact) }
        }
        if !isActive { await session[ClientState.self]?.inactive() }
        connectionsBegun?.yield()
    }

    /// The server delivers what it kept when it gets the presence, and answers a request that comes later after that.
    private func followOfflineDelivery(_ connections: AsyncStream<Void>, in session: Session) async {
        for await _ in connections {
            let connection = recorder.offlineDelivery.connection
            do throws(ClientError) {
                _ = try await session.request(Ping())
            } catch {
                // A refusal is an answer, too.
                guard error.stanzaError != nil else { continue }
            }
            recorder.offlineDelivery.ended(over: connection, at: now())
        }
    }

    /// A page of history is in the store, or the archive has none to give.
    func pageCame(for request: HistoryRequest) async {
        guard request.purpose == .newest else { return }
        if request.archive == address {
            if request.with == nil { isHistoryOwed = false }
            return
        }
        // The room may have been lost while the page was on its way; it comes again when it is entered.
        guard let room = session?[GroupChat.self]?.room(request.archive), await room.isInside else { return }
        // What a room has sent back by now is in the store, so what it has not can be sent again.
        await queue.roomOpened(request.archive)
    }

    private func wentOffline() {
        sync.disconnected()
        settleOlder(with: .notNow)
        if connectionState.isOnline { show(.offline(reason: nil, nextAttempt: nil)) }
    }

    // MARK: Wishes

    /// Shows this account to its contacts in another way, now and whenever it connects.
    public func setPresence(_ presence: OwnPresence) async {
        guard ownPresence != presence else { return }
        ownPresence = presence
        guard let session, await session.isOnline else { return }
        _ = try? await session.send(presence.stanza)
    }

    /// Whether a person is looking: the server may save battery and bytes while nobody does (XEP-0352).
    public func setActive(_ isActive: Bool) async {
        self.isActive = isActive
        guard let state = session?[ClientState.self] else { return }
        if isActive { await state.active() } else { await state.inactive() }
    }

    /// Tries to connect now instead of at the next time planned.
    public func reconnectNow() async {
        await session?.reconnectNow()
    }
}
