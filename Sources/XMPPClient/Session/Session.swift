import Synchronization
public import TransportLayer
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
    nonisolated let observers: EventObservers
    nonisolated let extensionTable = ExtensionTable()
    nonisolated let jobs = Jobs()

    /// Opened when the closure of the program starts, and at the end.
    nonisolated let firstOnline = Gate()
    /// Opened at the end.
    nonisolated let ended = Gate()
    nonisolated let outboxHasRoom = Signal()
    nonisolated let outboxDrained = Signal()

    nonisolated let sendingLock = AsyncLock()
    nonisolated let intake = SendIntake()
    nonisolated let identifiers: Mutex<IdentifierSource>

    /// Decides when to connect, whether stanzas can be sent, and how the session ends.
    var machine: SessionMachine
    /// The stream of the current connection.
    var stream: ClientStream?
    private(set) var connection = Connection()
    private var life = Life()
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
        observers = EventObservers(loop: loop)
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

    /// Runs tasks on the thread of the session. With it as the preference of a task, code that belongs to no actor gets events and
    /// sends stanzas without changing threads; it must not block:
    ///
    ///     try await client.run { session in
    ///         try await withTaskExecutorPreference(session.taskExecutor) {
    ///             for await batch in session.events(.messages) { … }
    ///         }
    ///     }
    public nonisolated var taskExecutor: EventLoopTaskExecutor { loop.taskExecutor }
}

// MARK: - From the beginning to the end

extension Session {
    /// How far the life of a session is, besides the state of its machine.
    private struct Life {
        /// Whether the session may connect, or its end was requested.
        var isWanted = false
        var hasBegun = false
        /// Whether a task does the next steps.
        var isAtWork = false
        /// Whether something has changed meanwhile.
        var hasChanged = false
    }

    /// Creates the extensions and registers their handlers. The session ends at once if that fails.
    func start() {
        do throws(ClientError) {
            if purpose != .component { try configuration.validate() }
            try makeExtensions()
        } catch {
            perform(machine.cannotGoOn(error))
        }
        goOn()
    }

    /// The session may connect, if it is not to end.
    func leaveRest() {
        life.isWanted = true
        goOn()
    }

    /// Something has changed on which the next step of the session depends. It is done in a task that ends where something has to
    /// be waited for, so an idle session has none: a task keeps the memory that its functions have needed once.
    ///
    /// The task inherits nothing from the caller and is not cancelled; the last thing that it does is to open ``ended``. It runs on the
    /// loop, also where it leaves the session, for example to connect: each change of threads would delay the login. Only a store
    /// may wait for the disk.
    func goOn() {
        guard !life.isAtWork else { return life.hasChanged = true }
        guard !ended.isOpen else { return }
        life.isAtWork = true
        Task.detached(executorPreference: isStored ? nil : loop.taskExecutor) { await self.work() }
    }

    private func work() async {
        repeat {
            life.hasChanged = false
            await doNextSteps()
        } while life.hasChanged && !isOver
        life.isAtWork = false
        if isOver { ended.open() }
    }

    private func doNextSteps() async {
        if !life.hasBegun {
            if machine.nextStep() == .wait {
                guard life.isWanted else { return }
                await startWork()
            }
            life.hasBegun = true
        }
        if connection.transport != nil {
            guard connection.over.isOpen else { return }
            await connection.finish(in: self)
            await endConnection()
        }
        while true {
            switch machine.nextStep() {
            case .wait: return
            // The secret of a component is for the host of its settings only.
            case .connect(let place): if await connect(at: purpose == .component ? .usual : place) { return }
            case .end(let error): return await end(error)
            }
        }
    }

    /// Loads what an earlier process has stored, and starts to work.
    private func startWork() async {
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

    /// The end was requested: by a program, or because its task was cancelled.
    func close(_ farewell: SessionMachine.Farewell) {
        observers.gate.forceOpen()
        sender.takeIntake(in: self)
        let canBeResumed = isStored && resumptionState != nil
        perform(machine.closeRequested(canBeResumed ? farewell : .closing, now: clock.now()))
        leaveRest()
    }

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
        let instances = extensionTable.removeAll()
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            for instance in instances { await instance.sessionEnded(self) }
        }
        router = StanzaRouter()
        stream = nil
        await configuration.store?.sessionEnded()
        await signInSaving.wait()
        observers.finish()
        outboxHasRoom.send()
        probeOver?.open()
        firstOnline.open()
    }

    /// Begins a connection, and ends it if its transport could not be opened; returns whether it could.
    private func connect(at place: ReconnectionSchedule.Place) async -> Bool {
        beginConnection()
        guard makeStream() else {
            connectionOver(resuming: machine.resumption)
            return false
        }
        guard await connection.open(at: place, in: self) else {
            await endConnection()
            return false
        }
        connection.start(in: self)
        return true
    }

    private func beginConnection() {
        connection = Connection()
        receiver.clear()
        observers.wire.report(.began)
        saving.connectionBegan()
        observers.gate.reset()
    }

    /// Makes the stream of the connection; returns whether there is one.
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
