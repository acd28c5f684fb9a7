import Synchronization
package import TransportLayer
import Waiting
public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// A session of an account with its server, which ``Client/run(from:_:)`` passes to a program, or of an external
/// component, from ``Component/run(from:_:)``.
///
/// The session drives two machines: `SessionMachine` decides when to connect and which state is shown, and the stream
/// machine implements the protocol. The session sends in one order, matches responses to requests, routes requests to
/// their handlers, and notifies observers in batches. All of its work is done in tasks of `run`, which have ended when
/// `run` returns.
///
/// The session and its connection run on one event loop: a read, its parsing, its handling and the write that answers it are
/// one turn on one thread. An actor with the same executor, for example an extension, is called without changing threads:
///
///     actor Echo: SessionExtension {
///         private let session: Session
///         nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }
///     }
///
/// Code that runs there must not block.
public actor Session {
    /// The purpose of the connection.
    enum Purpose {
        case login, registration, component
    }

    private nonisolated let sharedConfiguration: SharedConfiguration
    nonisolated var configuration: ClientConfiguration { sharedConfiguration.value }
    nonisolated let purpose: Purpose
    nonisolated let clock: SessionClock
    /// The loop on which the session runs.
    package nonisolated let loop: EventLoop
    nonisolated let observers = EventObservers()
    nonisolated let extensionTable = ExtensionTable()
    nonisolated let jobs = Jobs()

    /// Opened when the session may connect, and when the end is requested.
    nonisolated let connectionWanted = Gate()
    /// Opened when the end is requested.
    nonisolated let closeWanted = Gate()
    nonisolated let suspensionWanted = Gate()
    /// Opened when the closure of the program starts, and at the end.
    nonisolated let firstOnline = Gate()
    /// Opened at the end.
    nonisolated let ended = Gate()

    nonisolated let sendingLock = AsyncLock()
    nonisolated let intake = SendIntake()
    nonisolated let identifiers: Mutex<IdentifierSource>
    private nonisolated let chain = Mutex<[any StanzaInterceptor]>([])
    nonisolated let outboxHasRoom = Signal()
    nonisolated let outboxDrained = Signal()
    nonisolated let lifeChanged = Signal()

    /// Decides when to connect, whether stanzas can be sent, and how the session ends.
    var machine: SessionMachine
    /// The stream of the current connection.
    var stream: ClientStream?
    var connection = Connection()
    var memory = ConnectionMemory()
    var counted: Traffic
    var saving = Saving()
    /// Saves the data for the next login; each task waits for the previous one.
    var signInSaving: Task<Void, Never>?
    var starts = ExtensionStarts()
    /// The extensions that know peers.
    var directories: [any PeerDirectory] = []

    var decoder = StanzaDecoder()
    var requests = RequestTable<Promise<Result<IQ, ClientError>>>()
    var router = StanzaRouter()
    var ledger = SendLedger()
    var acquaintances = ContactedAddresses()
    var absences = AbsentAddressReplies()
    /// The next events for the observers.
    var events: [SessionEvent] = []
    /// Opened when the check of the connection has a result.
    var probeOver: Gate?
    /// The size of the stanzas for which the intake is open.
    var intakeLimit = 0
    /// Whether this turn of the event loop ends with a call of ``turnEnded()``.
    var isTurnGathered = false
    /// Whether the timer of a burst runs.
    var isGatheringTimed = false
    /// Whether the session connects, works and can be closed.
    var isLiving = false
    /// Whether the end was requested and the stream closed.
    var isClosing = false
    /// The next call of ``timePassed()``; `nil` before the beginning and after the end.
    var alarm: Alarm?
    var lastPresence: Presence?
    var ownAddress: JID?
    /// The number of sessions on the server so far; a resumption continues the same one.
    package internal(set) var serverSessionCount = 0

    init(configuration: ClientConfiguration, purpose: Purpose) {
        self.init(SharedConfiguration(configuration), purpose)
    }

    init(_ sharedConfiguration: SharedConfiguration, _ purpose: Purpose) {
        let configuration = sharedConfiguration.value
        self.sharedConfiguration = sharedConfiguration
        self.purpose = purpose
        clock = configuration.clock
        loop = configuration.eventLoop ?? EventLoop.next()
        machine = SessionMachine(
            ReconnectionSchedule(
                configuration.reconnection,
                usualHost: StreamError.Host(
                    name: configuration.host ?? configuration.address.domain, port: configuration.port)))
        memory.token = configuration.fastToken
        counted = Traffic(since: clock.now())
        var generator = SystemRandomNumberGenerator()
        identifiers = Mutex(IdentifierSource(using: &generator))
        requests.ownAddress = configuration.address
    }

    /// The chain, which outgoing stanzas pass on the executor of their sender.
    nonisolated var interceptors: [any StanzaInterceptor] {
        get { chain.withLock { $0 } }
        set { chain.withLock { $0 = newValue } }
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}

// MARK: - State

extension Session {
    /// The full address the session is bound to, or the domain of a component; `nil` before the first login.
    public var address: JID? { ownAddress }

    /// Whether the session is online.
    public var isOnline: Bool { machine.phase == .online }

    /// The current state of the connection; changes are reported as ``SessionEvent/stateChanged(_:)``.
    public var connectionState: ConnectionState { machine.shown }

    /// The settings negotiated with the server on the current connection; `nil` without a connection.
    public var agreement: StreamSession? { machine.session }

    /// The data traffic of the connections of this session so far.
    public var traffic: Traffic {
        var traffic = counted
        traffic.keepAlives += stream?.keepAliveCount ?? 0
        return traffic
    }

    /// The last broadcast presence, as others see this session; subscription requests and directed presence do not
    /// count.
    public var presence: Presence? { lastPresence }

    /// The features that service discovery announces: those of the handlers and of the extensions, sorted.
    public var features: [String] {
        router.features.union(extensionTable.instances.flatMap(\.features)).sorted()
    }

    /// The state from which this session can be resumed on another connection, also in another process (XEP-0198 §5);
    /// `nil` if it cannot be resumed.
    public var resumptionState: ResumptionState? { stream?.resumptionState }

    /// The extension of this type; `nil` if the configuration has none or the session is over.
    public nonisolated subscript<Extension: SessionExtension>(_ type: Extension.Type) -> Extension? {
        extensionTable.find(type)
    }

    /// The extensions of this session that conform to a protocol, in the order of the configuration:
    /// `session.extensions(as: (any PeerDirectory).self)`.
    public nonisolated func extensions<Role>(as role: Role.Type) -> [Role] {
        extensionTable.instances.compactMap { $0 as? Role }
    }

    /// Observes the session from now on; see ``SessionEvents``.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of events to observe.
    ///   - limit: The number of events that may wait before reading from the socket pauses; by default that of the
    ///     configuration. Iterate to the end of what you need, and release the sequence then: one that is held and not read
    ///     stops the connection (``observersBehind``).
    ///   - file: With `line`, names the observer in ``observersBehind`` and in a log.
    public nonisolated func events(
        _ kinds: SessionEvent.Kinds = .all, limit: Int? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> SessionEvents {
        observers.add(kinds: kinds, limit: limit ?? configuration.eventLimit, origin: "\(file):\(line)")
    }

    /// Registers another handler of requests; its feature is announced from now on.
    ///
    /// - Throws: ``ClientError`` with `handlerExists` if these requests already have a handler.
    public func register(_ handler: IQHandler) throws(ClientError) {
        try router.register(handler)
    }

    /// Removes a handler; its waiting requests are refused.
    public func unregister(_ key: IQHandler.Key) {
        for iq in router.unregister(key) { answer(.error(for: iq, StanzaError(.serviceUnavailable))) }
    }

    /// Whether the session has ended.
    var isOver: Bool { machine.phase == .ended }

    /// The failure that ended the session; `nil` before the end and after an intended end.
    var failure: ClientError? { machine.failure }

    /// The features that the server offers before a registration.
    var registrationFeatures: StreamFeatures { machine.registrationFeatures ?? .none }

    /// Closes the session and returns when it has ended: unavailable presence, `</stream:stream>`, and a limited wait
    /// for that of the server (RFC 6120 §4.4).
    public nonisolated func close() async {
        requestClose()
        await ended.wait()
    }

    /// Returns when the session has ended, by itself or because it was closed; at once when the task is cancelled.
    public nonisolated func untilEnd() async { await ended.wait() }

    /// Ends the session and leaves it on the server, so that the next process resumes it and contacts do not notice the pause
    /// (XEP-0198 §5): the connection is closed without `</stream:stream>`. It returns when the state is stored.
    ///
    /// A session that cannot be resumed, or whose state is not stored, is closed as with ``close()``.
    public nonisolated func suspend() async {
        suspensionWanted.open()
        await close()
    }

    nonisolated func requestClose() {
        closeWanted.open()
        connectionWanted.open()
        loop.execute { self.assumeIsolated { $0.closeIfWanted() } }
    }

    /// Lets the session connect. Only a closure that begins with ``Client/Beginning/connecting`` needs it, once it observes
    /// the events it wants; ``waitUntilOnline()`` includes it.
    public nonisolated func connect() {
        connectionWanted.open()
    }

    /// Connects, and returns when the session is online and the extensions have started for the first time, or
    /// ``ClientConfiguration/startTimeout`` later.
    ///
    /// - Throws: ``ClientError`` if the login failed, the session ended before, or the task was cancelled.
    public func waitUntilOnline() async throws(ClientError) {
        connect()
        await firstOnline.wait()
        guard firstOnline.isOpen else { throw .cancelled }
        if machine.phase == .ended { throw machine.failure ?? .sessionEnded }
    }
}

// MARK: - Observers

extension Session {
    /// Records an event for the next batch.
    func emit(_ event: SessionEvent) {
        events.append(event)
    }

    func emit(_ event: ConnectionEvent) {
        events.append(.connection(event))
    }

    /// Informs all observers, including ``SessionLog``, that messages of an archive were rejected and not stored.
    ///
    /// - Parameter reason: a short text that contains nothing of the messages.
    public func reportRefusal(of count: Int, in archive: JID, reason: String) {
        emit(.refused(count: count, archive: archive, reason: reason))
        flushEvents()
    }

    /// Passes the recorded events to all observers, as one batch.
    func flushEvents() {
        guard !events.isEmpty else { return }
        let batch = events
        events = []
        observers.append(batch)
    }

    /// The same, unless the data of one read is still being handled.
    func flushEventsOutsideOfReading() {
        if !connection.isHandlingInput { flushEvents() }
    }

    /// Runs work as a task of the session, cancelled at its end.
    nonisolated func spawn(_ job: @escaping @Sendable () async -> Void) { jobs.start(job) }
}
