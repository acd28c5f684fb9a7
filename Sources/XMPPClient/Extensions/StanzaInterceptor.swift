public import XMLStreaming
public import XMPPStanzas

/// Looks at stanzas on their way and may change, drop or take them.
///
/// The interceptors of a session form a chain. Incoming stanzas pass it in order, outgoing ones in the opposite order,
/// each awaited, so that no stanza overtakes another. While an interceptor works on an incoming stanza nothing else is
/// read: it must not wait for an answer from the peer, and a request made there fails at once with the code
/// `wouldDeadlock`. What an interceptor sends goes out before the stanza it looks at and does not pass the chain again.
public protocol StanzaInterceptor: Sendable {
    /// A stanza was received. Where the configuration has a store, it is stored already (XEP-0198 §5).
    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception

    /// A stanza was received that cannot be read and is skipped (``SessionEvent/skipped(_:)``). It comes in its
    /// order, so it can be counted; nothing more can be done with it.
    func willSkip(_ stanza: UnreadableElement, in session: Session) async

    /// A stanza is about to be queued. It has an id.
    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception
}

extension StanzaInterceptor {
    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception { .pass(stanza) }
    public func willSkip(_ stanza: UnreadableElement, in session: Session) async {}
    public func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception { .pass(stanza) }
}

/// What an interceptor does with a stanza.
public enum Interception: Sendable {
    /// Let it go on, perhaps changed.
    case pass(AnyStanza)
    /// Throw it away. Observers are told; a request gets `service-unavailable`, because every request must be answered;
    /// who sends it gets an error.
    case drop
    /// The interceptor has dealt with it; a request is answered by it.
    case handled
}
