import Synchronization
public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// A client of one account: runs sessions, one at a time.
///
///     let client = Client(ClientConfiguration(address: address, password: password))
///     try await client.run { session in
///         let events = session.events(.messages)
///         try await session.send(Presence())
///         for await batch in events {
///             for case .message(let message) in batch where message.isChatMessageWithBody {
///                 if let sender = message.from, let body = message.body {
///                     try await session.send(.chat(to: sender, body: body))
///                 }
///             }
///         }
///     }
public final class Client: Sendable {
    /// When the closure of the program starts.
    public enum Beginning: Sendable, Hashable {
        /// After the login.
        case online
        /// Before connecting: the closure observes what it wants, then calls ``Session/connect()``. No event is missed.
        case connecting
    }

    /// What a client does in a session: ``run()``.
    public typealias Program = @Sendable (Session) async throws -> Void

    public var configuration: ClientConfiguration { sharedConfiguration.value }
    private let sharedConfiguration: SharedConfiguration
    let program: Program
    private let current = Mutex<Session?>(nil)

    /// - Parameter program: What ``run()`` does in the session; by default it stays online until the session ends, for
    ///   extensions that do everything themselves.
    public init(_ configuration: ClientConfiguration, program: @escaping Program = Client.staysOnline) {
        sharedConfiguration = SharedConfiguration(configuration)
        self.program = program
    }

    /// Stays online until the session ends or the task is cancelled.
    public static let staysOnline: Program = { session in
        await session.untilEnd()
        try Task.checkCancellation()
    }

    /// The session that runs now; `nil` outside of ``run(from:_:)``.
    public var session: Session? { current.withLock { $0 } }

    /// Runs the program of the client: ``init(_:program:)``. With the trait `ServiceLifecycleSupport`, a client is a `Service`
    /// of swift-service-lifecycle, and this ends when the service group shuts down.
    public func run() async throws {
        try await untilShutdown { try await self.run(self.program) }
    }

    /// Logs in, runs the closure of the program, closes the session, and returns the result of the closure.
    ///
    /// A lost connection is resumed or replaced according to the configuration, while the closure continues. When the
    /// session gives up, the events end and everything that waits fails; the closure should return then. Cancelling the
    /// task also closes the stream properly. If another session of this client is running, it is closed first.
    ///
    /// - Throws: the error of the closure; ``ClientError`` if the login failed or the session was lost.
    @discardableResult
    public nonisolated(nonsending) func run<Result>(
        from beginning: Beginning = .online, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        try await run(Session(sharedConfiguration, .login), beginning, body)
    }

    /// Connects for registration (XEP-0077), runs the closure of the program, and closes the connection.
    ///
    /// - Throws: the error of the closure; ``ClientError`` if the connection failed.
    @discardableResult
    public nonisolated(nonsending) func register<Result>(
        _ body: (RegistrationStream) async throws -> Result
    ) async throws -> Result {
        try await run(Session(sharedConfiguration, .registration), .online) { session in
            try await body(RegistrationStream(session: session))
        }
    }

    nonisolated(nonsending) func run<Result>(
        _ session: Session, _ beginning: Beginning, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        await begin(session)
        return try await withTaskCancellationHandler {
            do {
                if beginning == .online { try await session.waitUntilOnline() }
                let result = try await body(session)
                if let error = await conclude(session) { throw error }
                return result
            } catch {
                _ = await conclude(session)
                throw error
            }
        } onCancel: {
            session.requestClose()
        }
    }

    // The closure of the program runs for a long time: what comes before and after it needs no memory meanwhile, because it is
    // not inlined.

    /// Replaces the previous session.
    @inline(never)
    private nonisolated(nonsending) func begin(_ session: Session) async {
        let previous = current.withLock { current in
            defer { current = session }
            return current
        }
        await previous?.close()
        // The extensions exist before the closure starts, so that it can observe them.
        await session.start()
    }

    /// Ends a session; returns its failure.
    @inline(never)
    private nonisolated(nonsending) func conclude(_ session: Session) async -> ClientError? {
        session.requestClose()
        await session.ended.waitUncancelled()
        current.withLock { if $0 === session { $0 = nil } }
        return await session.failure
    }
}

/// A stream on which an account can be registered, before any login (XEP-0077 §3.1).
public struct RegistrationStream: Sendable {
    let session: Session

    /// Sends a request in the namespace `jabber:iq:register`, or with the token of an invitation (XEP-0445), and
    /// returns the response.
    public func request<Request: IQRequest>(
        _ request: Request, to receiver: JID? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Request.Response {
        try await session.request(request, to: receiver, timeout: timeout)
    }

    /// Sends a request stanza in the namespace `jabber:iq:register` and returns the result stanza.
    public func request(_ iq: IQ, timeout: Duration? = nil) async throws(ClientError) -> IQ {
        try await session.request(iq, timeout: timeout)
    }

    /// The features that the server offers.
    public var features: StreamFeatures {
        get async { await session.registrationFeatures }
    }
}
