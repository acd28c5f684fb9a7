public import XMPPStream

/// A function added to a session, such as the roster or delivery receipts.
///
/// An extension is made anew for each session by a factory in ``ClientConfiguration/extensions`` and found by its type:
/// `session[Roster.self]`. What it handles and announces is read once, when the session begins.
public protocol SessionExtension: Sendable {
    /// What service discovery announces beside the features of the handlers.
    var features: [String] { get }

    /// The requests it answers. Two extensions that want the same requests are a configuration error.
    var handlers: [IQHandler] { get }

    /// Its places in the chain that stanzas pass.
    var interceptors: [any StanzaInterceptor] { get }

    /// What it switches on together with the binding of the address, where the server can do that (XEP-0386). What was
    /// granted stands in ``Session/agreement``; what was not is for ``sessionStarted(_:isResumed:)``.
    var bindRequests: [BindRequest] { get }

    /// Stanzas flow. Called in the order of the configuration, at the beginning and after each reconnection, before the
    /// program's own part begins and before the presence is sent again, so that the roster can be asked for first (RFC
    /// 6121 §2.2). An error is reported to the observers and stops nothing.
    ///
    /// - Parameter isResumed: An earlier session goes on: the server remembers everything, nothing needs to be announced
    ///   again. An extension made in a new process knows nothing of that session, and asks for what it needs all the same.
    func sessionStarted(_ session: Session, isResumed: Bool) async throws

    /// Works as long as the session lives, as one of its tasks; cancelled at its end.
    func run(in session: Session) async

    /// The session is over for good.
    func sessionEnded(_ session: Session) async
}

extension SessionExtension {
    public var features: [String] { [] }
    public var handlers: [IQHandler] { [] }
    public var interceptors: [any StanzaInterceptor] { [] }
    public var bindRequests: [BindRequest] { [] }
    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {}
    public func run(in session: Session) async {}
    public func sessionEnded(_ session: Session) async {}
}

/// Makes an extension for each new session.
public struct SessionExtensionFactory: Sendable {
    let make: @Sendable (Session) -> any SessionExtension

    public init(_ make: @escaping @Sendable (Session) -> any SessionExtension) {
        self.make = make
    }
}
