import SASLMechanisms
import Synchronization
import TransportLayer
import Waiting
import XMLStreaming
public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// A session of an account with its server: what ``Client/run(from:_:)`` gives to a program.
///
/// The session drives the stream machine, sends in one order, matches answers to requests, routes requests to their
/// handlers and tells observers in batches. All of its work happens in tasks of `run`; when `run` returns nothing of it
/// is left.
public actor Session {
    /// Where the session stands.
    enum Phase {
        /// No stanza can be sent.
        case offline
        /// The connection is being made anew and the session behind it goes on: stanzas wait in the backlog.
        case resuming
        /// The server waits for registration requests.
        case registering(StreamFeatures)
        /// Stanzas flow.
        case online(StreamSession)
        /// Final; with the reason unless the end was wanted.
        case ended(ClientError?)
    }

    /// What the connection is for.
    enum Purpose {
        case login, registration
    }

    /// What came in and waits for the interceptors.
    enum Inbound {
        case stanzas([XMLElement])
        case unreadable(UnreadableElement)
        case element(XMLElement)
    }

    nonisolated let configuration: ClientConfiguration
    nonisolated let purpose: Purpose
    nonisolated let clock: SessionClock
    nonisolated let observers = EventObservers()
    nonisolated let extensionTable = ExtensionTable()
    nonisolated let jobs = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)

    /// Opened when somebody wants the end.
    nonisolated let closeWanted = Gate()
    /// Opened when stanzas flow for the first time, and at the end.
    nonisolated let firstOnline = Gate()
    /// Opened at the end.
    nonisolated let ended = Gate()

    nonisolated let sendingLock = AsyncLock()
    nonisolated let outboxFilled = Signal()
    nonisolated let outboxHasRoom = Signal()
    nonisolated let outboxDrained = Signal()
    nonisolated let nearerDeadline = Signal()
    nonisolated let lifeChanged = Signal()

    var phase = Phase.offline
    /// Why the session cannot begin: what was configured does not fit together.
    var preparationFailure: ClientError?
    /// How the connection looks from outside.
    var shownState = ConnectionState.offline(reason: nil, nextAttempt: nil)
    var schedule: ReconnectionSchedule
    /// Where the schedule wants a connection now.
    var wantedPlace: ReconnectionSchedule.Place?
    /// The schedule has come to its end.
    var isLifeOver = false
    /// The end was not wanted.
    var isGivenUp = false
    /// Why the last connection ended.
    var lastError: ClientError?
    /// The session to go on with on the next connection.
    var resumption: ResumptionState?
    var unsaved = Unsaved()
    /// The token for the next login.
    var fastToken: FASTToken?
    /// Saves the token; each waits for the one before.
    var signInSaving: Task<Void, Never>?
    var counted: Traffic
    /// What was learnt about silence on the present network.
    var keepAlivePace: KeepAlivePace?
    /// Opened when the question whether the server lives is answered, one way or the other.
    var probeOver: Gate?
    /// Counts the times that stanzas began to flow.
    var onlineCount = 0
    var starts = ExtensionStarts()
    var stream: ClientStream?
    var transport: (any Transport)?
    var streamEnd: StreamEnd?
    /// Opened when the present stream has ended and everything it brought was handled.
    var streamOver = Gate()
    var isHandlingInput = false
    var isTLSWanted = false
    /// Whether stanzas of the present stream are acknowledged.
    var isManaged = false
    var newSession: StreamSession?
    var inbox: [Inbound] = []
    var outbox = Outbox()
    var events: [SessionEvent] = []
    var armedDeadline: ContinuousClock.Instant?
    /// How this account logged in last, which a later connection must not fall behind.
    var lastMechanism: SASLMechanismName?
    /// What the server said last about what it accepts.
    var knownLimits = StreamLimits()
    /// Which stanza of ours may have ended a stream.
    var suspicion = StanzaSuspicion()

    var decoder = StanzaDecoder()
    var requests = RequestTable<Promise<Result<IQ, ClientError>>>()
    var router = StanzaRouter()
    var ledger = SendLedger()
    var acquaintances = Acquaintances()
    /// By the language of the request: texts of servers depend on it.
    var absences: [String: Absence] = [:]
    var identifiers: IdentifierSource
    var interceptors: [any StanzaInterceptor] = []
    var backlog: [(stanza: AnyStanza, number: StanzaToken)] = []
    var lastPresence: Presence?
    var ownAddress: JID?

    init(configuration: ClientConfiguration, purpose: Purpose) {
        self.configuration = configuration
        self.purpose = purpose
        clock = configuration.clock
        schedule = ReconnectionSchedule(
            configuration.reconnection,
            usualHost: StreamError.Host(
                name: configuration.host ?? configuration.address.domain, port: configuration.port))
        resumption = configuration.resumption
        fastToken = configuration.fastToken
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
    public var isOnline: Bool { if case .online = phase { true } else { false } }

    /// How the connection looks at the moment; the changes come as ``SessionEvent/stateChanged(_:)``.
    public var connectionState: ConnectionState { shownState }

    /// What was agreed with the server on the present connection; `nil` while there is none.
    public var agreement: StreamSession? { if case .online(let session) = phase { session } else { nil } }

    /// What the connections of this session have cost so far.
    public var traffic: Traffic {
        var traffic = counted
        traffic.keepAlives += stream?.keepAliveCount ?? 0
        return traffic
    }

    /// The presence broadcast last, that is how others see this session now; subscriptions and presence sent to
    /// somebody do not count.
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
    var failure: ClientError? { if case .ended(let error) = phase { error } else { nil } }

    /// What the server offers to somebody who wants to register.
    var registrationFeatures: StreamFeatures { if case .registering(let features) = phase { features } else { .none } }

    /// Asks for the end of the session and returns when it has come: unavailable presence, `</stream:stream>`, a
    /// bounded wait for the server's (RFC 6120 §4.4).
    public nonisolated func close() async {
        closeWanted.open()
        await ended.wait()
    }

    /// Returns when stanzas flow for the first time.
    ///
    /// - Throws: ``ClientError`` if the login failed, the session ended before, or the task was cancelled.
    public func waitUntilOnline() async throws(ClientError) {
        await firstOnline.wait()
        guard firstOnline.isOpen else { throw .cancelled }
        if case .ended(let error) = phase { throw error ?? .sessionEnded }
    }
}
