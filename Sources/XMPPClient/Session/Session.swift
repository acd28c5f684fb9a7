import Synchronization
package import TransportLayer
import Waiting
import XMPPStanzas
import XMPPStream

/// A session of an account with its server, from ``Client/run(from:_:)``, or of a component, from ``Component/run(from:_:)``.
///
/// The session drives two machines: `SessionMachine` decides when to connect and which state is shown, and the stream
/// machine implements the protocol. The session sends in one order, matches responses to requests, routes requests to
/// their handlers, and notifies observers in batches. All of its work is done in tasks of `run`, which end before it returns.
///
/// The session and its connection run on one event loop: a read, its parsing, its handling and the write that answers it are
/// one turn on one thread. An actor with the same executor, for example an extension, is called without changing threads,
/// and must not block:
///
///     actor Echo: SessionExtension {
///         private let session: Session
///         nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }
///     }
public final actor Session {
    /// The purpose of the connection.
    enum Purpose {
        case login, registration, component
    }

    private nonisolated let sharedConfiguration: SharedConfiguration
    nonisolated var configuration: ClientConfiguration { sharedConfiguration.value }
    /// Whether the session has a store: what it sends and handles is stored first.
    nonisolated let isStored: Bool
    nonisolated let purpose: Purpose
    nonisolated let clock: SessionClock
    /// The loop on which the session runs.
    package nonisolated let loop: EventLoop
    nonisolated let observers = EventObservers()
    nonisolated let extensionTable = ExtensionTable()
    nonisolated let jobs = Jobs()

    /// Opened when the session may connect, and when the end is requested.
    nonisolated let connectionWanted = Gate()
    /// Opened when the closure of the program starts, and at the end.
    nonisolated let firstOnline = Gate()
    /// Opened at the end.
    nonisolated let ended = Gate()
    nonisolated let outboxHasRoom = Signal()
    nonisolated let outboxDrained = Signal()
    private nonisolated let lifeChanged = Signal()

    nonisolated let sendingLock = AsyncLock()
    nonisolated let intake = SendIntake()
    nonisolated let identifiers: Mutex<IdentifierSource>

    /// Decides when to connect, whether stanzas can be sent, and how the session ends.
    var machine: SessionMachine
    /// The stream of the current connection.
    var stream: ClientStream?
    private(set) var connection = Connection()
    let sender = StanzaSender()
    let sent = SentStanzas()
    let receiver = StanzaReceiver()
    /// Our requests that wait for a response.
    var requests = RequestTable<Promise<Result<IQ, ClientError>>>()
    /// The requests of others.
    var router = StanzaRouter()
    var absences = AbsentAddressReplies()
    var starts = ExtensionStarts()
    var saving = Saving()
    var signInSaving = SignInSaving()
    var memory = ConnectionMemory()
    var counted: Traffic
    /// The next events for the observers.
    var events: [SessionEvent] = []
    var timer = DeadlineTimer()
    /// Opened when the check of the connection has a result.
    var probeOver: Gate?

    init(configuration: ClientConfiguration, purpose: Purpose) {
        self.init(SharedConfiguration(configuration), purpose)
    }

    init(_ sharedConfiguration: SharedConfiguration, _ purpose: Purpose) {
        let configuration = sharedConfiguration.value
        self.sharedConfiguration = sharedConfiguration
        self.purpose = purpose
        isStored = configuration.store != nil
        clock = configuration.clock
        loop = configuration.eventLoop ?? EventLoop.next()
        machine = SessionMachine(
            ReconnectionSchedule(
                configuration.reconnection,
                usualHost: StreamError.Host(
                    name: configuration.host ?? configuration.address.domain, port: configuration.port)),
            account: configuration.address)
        memory.token = configuration.fastToken
        counted = Traffic(since: clock.now())
        var generator = SystemRandomNumberGenerator()
        identifiers = Mutex(IdentifierSource(using: &generator))
        requests.ownAddress = configuration.address
    }

    nonisolated var interceptors: [any StanzaInterceptor] { extensionTable.interceptors }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}

// MARK: - From the beginning to the end

extension Session {
    /// Creates the extensions and registers their handlers; called before ``live()``, which ends at once if this
    /// failed.
    func prepare() {
        do throws(ClientError) {
            if purpose != .component { try configuration.validate() }
            try makeExtensions()
        } catch {
            perform(machine.cannotGoOn(error))
        }
    }

    /// Runs the session: connects when it may, reconnects, works, and ends when requested or when it cannot continue.
    ///
    /// A session spends most of its time waiting, so the functions that wait are small and what they call is not inlined: their
    /// variables are in memory meanwhile. What needs much of it for a short time is a child task.
    func live() async {
        if case .wait = nextStep() { await connectionWanted.wait() }
        if case .wait = nextStep() { await inChildTask { await self.begin() } }
        await end(await connectUntilTheEnd())
    }

    /// Loads what an earlier process has stored, and starts to work.
    @inline(never)
    private func begin() async {
        do throws(ClientError) {
            let saved = try await loadSaved()
            perform(machine.begin(resuming: saved, now: clock.now()))
        } catch {
            return perform(machine.cannotGoOn(error))
        }
        timer.start()
        noticeSleep(clock.now())
        rearm()
        if let monitor = configuration.networkMonitor { spawn { await self.watchNetwork(monitor) } }
        for entry in extensionTable.all { begin(entry) }
    }

    /// Connects as the machine decides until the session is over; returns the reason, `nil` for a requested end.
    @inline(never)
    private func connectUntilTheEnd() async -> ClientError? {
        while true {
            switch nextStep() {
            case .wait: await lifeChanged.wait()
            // The secret of a component is for the host of its settings only.
            case .connect(let place): await connect(at: purpose == .component ? .usual : place)
            case .end(let error): return error
            }
        }
    }

    @inline(never)
    private func nextStep() -> SessionMachine.Step { machine.nextStep() }

    /// The end was requested: by a program, or because its task was cancelled.
    func close(_ farewell: SessionMachine.Farewell) {
        observers.gate.forceOpen()
        sender.takeIntake(in: self)
        let canBeResumed = isStored && resumptionState != nil
        perform(machine.closeRequested(canBeResumed ? farewell : .closing, now: clock.now()))
        connectionWanted.open()
    }

    @inline(never)
    private func end(_ error: ClientError?) async {
        timer.stop(on: loop)
        await jobs.end()
        for entry in extensionTable.all { entry.work.cancel() }
        for entry in extensionTable.all { await entry.work.end() }
        let farewell = machine.ended()
        sender.updateIntake(in: self)
        sent.end(error, in: self)
        perform(farewell)
        flushEvents()
        for instance in extensionTable.removeAll() { await instance.sessionEnded(self) }
        router = StanzaRouter()
        stream = nil
        await configuration.store?.sessionEnded()
        await signInSaving.wait()
        observers.finish()
        outboxHasRoom.send()
        probeOver?.open()
        firstOnline.open()
        ended.open()
    }

    /// One connection from its beginning to its end.
    @inline(never)
    private func connect(at place: ReconnectionSchedule.Place) async {
        beginConnection()
        guard makeStream() else { return connectionOver(resuming: machine.resumption) }
        if await inChildTask({ await self.openConnection(at: place) }) {
            connection.start(in: self)
            await connection.over.wait()
            await connection.finish(in: self)
        }
        await endConnection()
    }

    private func beginConnection() {
        connection = Connection()
        receiver.clear()
        observers.wire.report(.began)
        saving.connectionBegan()
        observers.gate.reset()
    }

    /// Makes the stream of the connection; returns whether there is one.
    @inline(never)
    private func makeStream() -> Bool {
        do {
            stream = ClientStream(
                configuration: try configuration.stream(
                    purpose, resuming: machine.resumption, with: memory,
                    bindRequests: extensionTable.instances.flatMap(\.bindRequests)))
        } catch {
            streamEnded(StreamEnd(reason: .closedByServer, resumption: machine.resumption))
            return false
        }
        perform(stream?.open(now: clock.now()))
        return true
    }

    @inline(never)
    private func endConnection() async {
        guard let end = machine.end else { preconditionFailure("a connection is finished when its stream has ended") }
        await saveEnd(end)
        // Stanzas that were handled after the end count as well.
        connectionOver(
            resuming: end.resumption == nil ? nil : stream?.resumptionState(afterHandling: 0) ?? end.resumption)
    }

    private func connectionOver(resuming resumption: ResumptionState?) {
        counted.keepAlives += stream?.keepAliveCount ?? 0
        if let pace = stream?.keepAlivePace { memory.keepAlivePace = pace }
        if let limits = stream?.serverLimits { memory.limits = limits }
        stream = nil
        connection.close()
        perform(machine.connectionOver(resuming: resumption, now: clock.now()))
        flushEvents()
    }
}

// MARK: - Actions of the machine

extension Session {
    /// Performs the actions of the session machine in order.
    @inline(never)
    func perform(_ actions: [SessionMachine.Action]) {
        for action in actions { perform(action) }
        settle()
    }

    /// The same, in the middle of the stream's actions.
    func carryOut(_ actions: [SessionMachine.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: SessionMachine.Action) {
        switch action {
        case .proceed: lifeChanged.send()
        case .probe(let timeout): perform(stream?.probe(within: timeout, now: clock.now()))
        case .abandon(let reason):
            perform(stream?.transportClosed(TransportClosure(.broken, detail: reason.text), now: clock.now()))
        case .withdrawPresence: _ = try? dispatch(.presence(Presence(type: .unavailable, id: newID())))
        case .closeStream: perform(stream?.close(now: clock.now()))
        case .adopt(let session): adopt(session)
        case .addressChanged(let address): emit(.addressChanged(address))
        case .lose(let error): sent.lose(error, in: self)
        case .connected(let address, let isResumed): emit(.online(address, isResumed: isResumed))
        case .start: startExtensions()
        case .failed(let failure): report(failure)
        case .disconnected(let error, let pause): emit(.disconnected(error, retryAfter: pause))
        case .show(let state): emit(.stateChanged(state))
        }
    }

    /// Completes the actions of either machine.
    @inline(never)
    func settle() {
        // Stanzas that the stream resends precede those that waited for it.
        if machine.phase == .starting { carryOut(machine.stanzasResent()) }
        sender.updateIntake(in: self)
        if machine.isDraining, !connection.reader.isHandling { connection.over.open() }
        if let over = probeOver, stream?.isProbing != true {
            probeOver = nil
            over.open()
        }
        if !connection.reader.isInTurn { rearm() }
        flushEventsOutsideOfReading()
    }
}
