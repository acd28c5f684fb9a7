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

    /// A received stanza could not be parsed and is skipped (``SessionEvent/skipped(_:)``). It is reported in order, so
    /// that it can be counted; it cannot be processed.
    func willSkip(_ stanza: UnreadableElement, in session: Session) async

    /// A stanza is about to be queued. It has an id.
    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception
}

extension StanzaInterceptor {
    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception { .pass(stanza) }
    public func willSkip(_ stanza: UnreadableElement, in session: Session) async {}
    public func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception { .pass(stanza) }
}

/// The decision of an interceptor about a stanza.
public enum Interception: Sendable {
    /// Let it go on, perhaps changed.
    case pass(AnyStanza)
    /// Drop the stanza. Observers are notified. A received request gets the error `service-unavailable`, because every
    /// request must be answered; the sender of an outgoing stanza gets an error.
    case drop
    /// The interceptor has dealt with it; a request is answered by it.
    case handled
}
