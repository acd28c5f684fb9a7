internal import ChatStore
internal import ClientState
internal import DirectTransfer
internal import EntityInformation
internal import Roster
internal import XMPPClient
package import XMPPStream

/// Keeps one account connected: runs its session, starts the services in it, and forwards the session's events.
actor AccountConnection {
    let context: AccountContext
    private let services: AccountServices
    private(set) var configuration: ClientConfiguration
    private(set) var state = ConnectionState.offline(reason: nil, nextAttempt: nil)
    private var ownPresence = OwnPresence()
    private var isActive = true
    /// Signals each new connection to the task that waits for the end of offline delivery.
    private var connectionsBegun: AsyncStream<Void>.Continuation?

    init(_ context: AccountContext, _ configuration: ClientConfiguration, _ services: AccountServices) {
        self.context = context
        self.configuration = configuration
        self.services = services
    }

    func run() async throws {
        let following = services.contents.map { contents in Task { await contents.run() } }
        defer { following?.cancel() }
        await services.contacts.recallRequests()
        do {
            try await context.encryption?.parts.load()
        } catch {
            // What is encrypted stays closed; nothing that should be is sent in clear.
            context.events.post(.problem(.session(error)))
        }
        let configuration = configuration.serving(
            context,
            showPresence: { await self.announce(isResumed: $1, in: $0) },
            beginHistory: { [services] in await services.history.begin(isResumed: $1) },
            returnToRooms: { [services] session, _ in await services.rooms.joining.returnToRooms(in: session) })
        try await Client(configuration).run(from: .connecting) { session in
            await self.work(in: session)
        }
    }

    func close() async {
        guard let session = context.session else { return }
        if await session.isOnline { await services.typing.leaveThreads(session) }
        await session.close()
    }

    func suspend() async { await context.session?.suspend() }

    func use(_ configuration: ClientConfiguration) {
        precondition(configuration.address.bare == context.address, "An account keeps its address.")
        self.configuration = configuration
    }

    func setPresence(_ presence: OwnPresence) async {
        guard ownPresence != presence else { return }
        ownPresence = presence
        guard let session = await context.onlineSession else { return }
        _ = try? await session.send(presence.stanza)
    }

    func setActive(_ isActive: Bool) async {
        self.isActive = isActive
        guard let state = context.session?[ClientState.self] else { return }
        if isActive { await state.active() } else { await state.inactive() }
    }

    // MARK: The session

    private func work(in session: Session) async {
        context.session = session
        let events = session.events([.messages, .connection])
        let (connections, connectionsBegun) = AsyncStream.makeStream(of: Void.self)
        self.connectionsBegun = connectionsBegun
        let contacts = await session[Roster.self]?.events()
        let offers = session[DirectTransfer.self]?.offers()
        let services = services
        let encryption = context.encryption.map { OMEMOService(context, $0.parts) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.context.queue.run(in: session) }
            group.addTask { await self.followOfflineDelivery(connections, in: session) }
            group.addTask { await services.history.run(in: session) }
            group.addTask { await services.repair.run(in: session) }
            group.addTask { await services.rooms.joining.run(in: session) }
            group.addTask { await services.bookmarks.run(in: session) }
            group.addTask { await services.invitations.run(in: session) }
            group.addTask { await services.reading.run(in: session) }
            group.addTask { await services.avatars.run(in: session) }
            group.addTask { await services.names.run(in: session) }
            group.addTask { await services.blocking.run(in: session) }
            if let encryption {
                group.addTask { await encryption.run(in: session) }
            } else {
                group.addTask { await DeviceWithdrawal(context: self.context).run(in: session) }
            }
            if let offers { group.addTask { await services.directFiles.run(offers, in: session) } }
            if let contacts { group.addTask { for await batch in contacts { await services.contacts.changed(batch) } } }
            session.connect()
            for await batch in events {
                for event in batch { await happened(event, in: session) }
            }
            group.cancelAll()
        }
        context.session = nil
        self.connectionsBegun = nil
        await services.history.sessionEnded()
        await services.rooms.joining.sessionEnded()
        await services.typing.sessionEnded()
        if state.isOnline { await show(.offline(reason: nil, nextAttempt: nil)) }
    }

    private func happened(_ event: SessionEvent, in session: Session) async {
        switch event {
        case .connection(.online(_, let isResumed)): await wentOnline(isResumed: isResumed, in: session)
        case .connection(.disconnected(let error, let pause)):
            if let error { await context.hearing?.report(.disconnected(error, retryAfter: pause)) }
            context.recorder.offlineDelivery.connectionLost()
            await services.history.connectionLost(in: session)
        case .connection(.extensionFailed(_, let error)): context.events.post(.problem(.session(error)))
        case .stateChanged(let state): await show(state)
        case .message(let message): await services.typing.received(message)
        default: break
        }
    }

    private func show(_ state: ConnectionState) async {
        self.state = state
        context.events.post(.connection(state))
        guard case .offline = state else { return }
        await services.contacts.wentOffline()
        await services.typing.wentOffline()
    }

    /// Sends the presence; the server remembers it in a resumed session.
    private func announce(isResumed: Bool, in session: Session) async {
        if !isResumed { _ = try? await session.send(ownPresence.stanza) }
        if let hearing = context.hearing, let address = await session.address { await hearing.report(.online(address)) }
    }

    private func wentOnline(isResumed: Bool, in session: Session) async {
        if isResumed {
            await services.contacts.showPresences(in: session)
        } else {
            await services.typing.sessionBegan()
        }
        if !isActive { await session[ClientState.self]?.inactive() }
        connectionsBegun?.yield()
    }

    /// The server delivers stored messages when it gets the presence, and answers a later request after them.
    private func followOfflineDelivery(_ connections: AsyncStream<Void>, in session: Session) async {
        for await _ in connections {
            let delivery = context.recorder.offlineDelivery
            let connection = delivery.connection
            do throws(ClientError) {
                _ = try await session.request(Ping())
            } catch {
                // An error response is a response, too.
                guard error.stanzaError != nil else { continue }
            }
            delivery.ended(over: connection, at: context.now())
        }
    }
}

extension StreamFailure {
    /// The maximum number of characters of an address in a message.
    private static let shownAddressLength = 120

    /// The sender of the stanza that broke the stream, for display; `nil` if unknown.
    ///
    /// Addresses contain neither control nor format characters (RFC 8264 §4.3), but they may be long.
    package var senderName: String? {
        guard let name = sender?.description else { return nil }
        return name.count <= Self.shownAddressLength ? name : name.prefix(Self.shownAddressLength) + "…"
    }
}
