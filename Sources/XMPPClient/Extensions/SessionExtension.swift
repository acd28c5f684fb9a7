public import XMPPStream

/// A function added to a session, such as the roster or delivery receipts.
///
/// An extension is created for each session by a factory in ``ClientConfiguration/extensions`` and found by its type:
/// `session[Roster.self]`. ``Session/add(_:)`` and ``Session/remove(_:)`` add and remove one while the session runs. Its
/// handlers and interceptors are read once, when it is added; one that registers others itself removes them in
/// ``sessionEnded(_:)``.
public protocol SessionExtension: Sendable {
    /// Additional features to announce by service discovery, besides those of the handlers.
    var features: [String] { get }

    /// The handlers of requests. Two extensions that handle the same requests are a configuration error.
    var handlers: [IQHandler] { get }

    /// Its interceptors in the chain.
    var interceptors: [any StanzaInterceptor] { get }

    /// The functions to enable together with resource binding, if the server supports that (XEP-0386).
    /// ``Session/agreement`` contains those that were granted; request the others in ``sessionStarted(_:isResumed:)``.
    var bindRequests: [BindRequest] { get }

    /// The extensions that start before this one, because the stanzas of this one must not overtake theirs. All others
    /// start at the same time, and extensions that are not in the configuration are ignored. None by default.
    var startsAfter: [any SessionExtension.Type] { get }

    /// The session is online. Called at the beginning and after each reconnection, for all extensions at the same time
    /// except for ``startsAfter``: a request that is never answered delays only the start that waits for it. The
    /// closure of the program starts, and the presence is sent again, when all have started, so that the roster can be
    /// requested first (RFC 6121 §2.2), or after ``ClientConfiguration/startTimeout``. An error is reported to the
    /// observers and stops nothing; a start that is interrupted by a lost connection is cancelled and repeated with the
    /// next one.
    ///
    /// - Parameter isResumed: Whether an earlier session was resumed: the server remembers everything, and nothing
    ///   needs to be announced again. An extension in a new process does not know that session, and still has to
    ///   request its data.
    func sessionStarted(_ session: Session, isResumed: Bool) async throws

    /// Runs as a task of the session until the session ends or the extension is removed, which cancels it.
    func run(in session: Session) async

    /// The session has ended and will not be resumed, or the extension was removed from it.
    func sessionEnded(_ session: Session) async
}

extension SessionExtension {
    public var features: [String] { [] }
    public var handlers: [IQHandler] { [] }
    public var interceptors: [any StanzaInterceptor] { [] }
    public var bindRequests: [BindRequest] { [] }
    public var startsAfter: [any SessionExtension.Type] { [] }
    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {}
    public func run(in session: Session) async {}
    public func sessionEnded(_ session: Session) async {}
}

/// Creates an extension for each new session.
public struct SessionExtensionFactory: Sendable {
    let make: @Sendable (Session) -> any SessionExtension

    public init(_ make: @escaping @Sendable (Session) -> any SessionExtension) {
        self.make = make
    }
}
