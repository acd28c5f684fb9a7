import Waiting
public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// A session of an account with its server: what ``Client/run(from:_:)`` gives to a program.
///
/// The session drives two machines: `SessionMachine` says when a connection is made and how it looks, the stream
/// machine speaks with the server. It sends in one order, matches answers to requests, routes requests to their
/// handlers and tells observers in batches. All of its work happens in tasks of `run`; when `run` returns nothing of
/// it is left.
public actor Session {
    /// The purpose of the connection.
    enum Purpose {
        case login, registration
    }

    nonisolated let configuration: ClientConfiguration
    nonisolated let purpose: Purpose
    nonisolated let clock: SessionClock
    nonisolated let observers = EventObservers()
    nonisolated let extensionTable = ExtensionTable()
    nonisolated let jobs = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)

    /// Opened when the end is wanted.
    nonisolated let closeWanted = Gate()
    /// Opened when the program's part begins, and at the end.
    nonisolated let firstOnline = Gate()
    /// Opened at the end.
    nonisolated let ended = Gate()

    nonisolated let sendingLock = AsyncLock()
    nonisolated let outboxFilled = Signal()
    nonisolated let outboxHasRoom = Signal()
    nonisolated let outboxDrained = Signal()
    nonisolated let nearerDeadline = Signal()
    nonisolated let lifeChanged = Signal()

    /// When connections are made, what they are good for, and how the session ends.
    var machine: SessionMachine
    /// The present connection's stream.
    var stream: ClientStream?
    var connection = Connection()
    var memory = ConnectionMemory()
    var counted: Traffic
    var saving = Saving()
    /// Saves what the next login needs; each waits for the one before.
    var signInSaving: Task<Void, Never>?
    var starts = ExtensionStarts()

    var decoder = StanzaDecoder()
    var requests = RequestTable<Promise<Result<IQ, ClientError>>>()
    var router = StanzaRouter()
    var ledger = SendLedger()
    var acquaintances = ContactedAddresses()
    var absences = AbsentAddressReplies()
    var identifiers: IdentifierSource
    var interceptors: [any StanzaInterceptor] = []
    /// The next events for the observers.
    var events: [SessionEvent] = []
    /// Opened when the question whether the server lives is answered, one way or the other.
    var probeOver: Gate?
    /// Until when the timekeeper sleeps.
    var armedDeadline: ContinuousClock.Instant?
    var lastPresence: Presence?
    var ownAddress: JID?

    init(configuration: ClientConfiguration, purpose: Purpose) {
        self.configuration = configuration
        self.purpose = purpose
        clock = configuration.clock
        machine = SessionMachine(
            ReconnectionSchedule(
                configuration.reconnection,
                usualHost: StreamError.Host(
                    name: configuration.host ?? configuration.address.domain, port: configuration.port)))
        memory.token = configuration.fastToken
        counted = Traffic(since: clock.now())
        var generator = SystemRandomNumberGenerator()
        identifiers = IdentifierSource(using: &generator)
        requests.ownAddress = configuration.address
    }
}

// MARK: - What a program asks

extension Session {
    /// The full address the session is bound to; `nil` before the first login.
    public var address: JID? { ownAddress }

    /// Whether stanzas flow.
    public var isOnline: Bool { machine.phase == .online }

    /// How the connection looks at the moment; the changes come as ``SessionEvent/stateChanged(_:)``.
    public var connectionState: ConnectionState { machine.shown }

    /// What was agreed with the server on the present connection; `nil` while there is none.
    public var agreement: StreamSession? { machine.session }

    /// The data traffic of the connections of this session so far.
    public var traffic: Traffic {
        var traffic = counted
        traffic.keepAlives += stream?.keepAliveCount ?? 0
        return traffic
    }

    /// The presence broadcast last, that is how others see this session now; subscriptions and directed
    /// presence do not count.
    public var presence: Presence? { lastPresence }

    /// What service discovery announces: the features of the handlers and of the extensions, sorted.
    public var features: [String] {
        router.features.union(extensionTable.all.flatMap(\.features)).sorted()
    }

    /// What is needed to go on with this session on another connection, also in another process (XEP-0198 §5); `nil` if
    /// it cannot be.
    public var resumptionState: ResumptionState? { stream?.resumptionState }

    /// The extension of that type, or `nil` if the configuration has none or the session is over.
    public nonisolated subscript<Extension: SessionExtension>(_ type: Extension.Type) -> Extension? {
        extensionTable.find(type)
    }

    /// Observes the session from now on; see ``SessionEvents``.
    ///
    /// - Parameters:
    ///   - kinds: Which events are wanted.
    ///   - limit: How many events may wait before the socket is read no further; by default that of the configuration.
    public nonisolated func events(_ kinds: SessionEvent.Kinds = .all, limit: Int? = nil) -> SessionEvents {
        observers.add(kinds: kinds, limit: limit ?? configuration.eventLimit)
    }

    /// Registers one more handler of requests; its feature is announced from now on.
    ///
    /// - Throws: ``ClientError`` with `handlerExists` if the requests have a handler already.
    public func register(_ handler: IQHandler) throws(ClientError) {
        try router.register(handler)
    }

    /// Takes a handler away; requests that wait for it are refused.
    public func unregister(_ key: IQHandler.Key) {
        for iq in router.unregister(key) { answer(.error(for: iq, StanzaError(.serviceUnavailable))) }
    }

    /// Why the session ended, if it did and was not asked to.
    var failure: ClientError? { machine.failure }

    /// The features that the server offers before a registration.
    var registrationFeatures: StreamFeatures { machine.registrationFeatures ?? .none }

    /// Asks for the end of the session and returns when it has come: unavailable presence, `</stream:stream>`, a
    /// bounded wait for the server's (RFC 6120 §4.4).
    public nonisolated func close() async {
        closeWanted.open()
        await ended.wait()
    }

    /// Returns when stanzas flow and the extensions have started for the first time, or
    /// ``ClientConfiguration/startTimeout`` later.
    ///
    /// - Throws: ``ClientError`` if the login failed, the session ended before, or the task was cancelled.
    public func waitUntilOnline() async throws(ClientError) {
        await firstOnline.wait()
        guard firstOnline.isOpen else { throw .cancelled }
        if machine.phase == .ended { throw machine.failure ?? .sessionEnded }
    }
}

// MARK: - Observers

extension Session {
    /// Notes an event for the next batch.
    func emit(_ event: SessionEvent) {
        events.append(event)
    }

    func emit(_ event: ConnectionEvent) {
        events.append(.connection(event))
    }

    /// Informs all observers, including ``SessionLog``, that messages of an archive were rejected and not stored.
    ///
    /// - Parameter reason: a few words, with nothing of the messages.
    public func reportRefusal(of count: Int, in archive: JID, reason: String) {
        emit(.refused(count: count, archive: archive, reason: reason))
        flushEvents()
    }

    /// Hands the events noted so far to all observers, as one batch.
    func flushEvents() {
        guard !events.isEmpty else { return }
        let batch = events
        events = []
        observers.append(batch)
    }

    /// The same, unless what one read has brought is still being handled.
    func flushEventsOutsideOfReading() {
        if !connection.isHandlingInput { flushEvents() }
    }

    /// Runs work as a task of the session, cancelled at its end.
    nonisolated func spawn(_ job: @escaping @Sendable () async -> Void) {
        jobs.continuation.yield(job)
    }
}
