public import XMLStreaming
public import XMPPStanzas

/// Inspects stanzas on their way, and may change, drop or handle them.
///
/// The interceptors of a session form a chain. Incoming stanzas pass it in order, outgoing ones in reverse order, and
/// each call is awaited, so that no stanza overtakes another. While an interceptor processes an incoming stanza,
/// reading pauses: it must not wait for a response of the peer, and a request made there fails at once with the code
/// `wouldDeadlock`. A stanza that an interceptor sends precedes the stanza that it processes and does not pass the
/// chain again.
///
/// An interceptor that waits for nothing decides about received stanzas in ``decide(received:in:)``, which is a
/// function call on the session's event loop:
///
///     struct Echo: StanzaInterceptor {
///         func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
///             guard case .message(let message) = stanza, let body = message.body, let sender = message.from else {
///                 return .pass(stanza)
///             }
///             _ = try? session.post(.chat(to: sender, body: body))
///             return .handled
///         }
///     }
///
/// One that has to wait implements ``willReceive(_:in:)``. Declared `nonisolated(nonsending)`, it runs on the event
/// loop, too, and `willSend` where `send` was called. None of them must block.
///
/// Most stanzas concern no interceptor. One that says so in ``concerns(received:)-(AnyStanza)`` and ``concerns(sent:)-(AnyStanza)``
/// costs nothing for them: a stanza that concerns none is delivered, or sent, at once.
public protocol StanzaInterceptor: Sendable {
    /// Whether ``willReceive(_:in:)`` may do something with a received stanza; otherwise it is not called. By default always.
    ///
    /// It is called on the session's event loop for each stanza. The answer depends on the stanza, not on the time.
    func concerns(received stanza: AnyStanza) -> Bool

    /// Whether ``willSend(_:in:)`` may do something with a stanza that is sent; otherwise it is not called. By default always.
    ///
    /// It is called where `send` was called. The answer depends on the stanza, not on the time.
    func concerns(sent stanza: AnyStanza) -> Bool

    /// Decides about a received stanza on the session's event loop, without waiting. `nil` by default, and for a stanza about
    /// which ``willReceive(_:in:)`` decides.
    ///
    /// What it sends with ``Session/post(_:)-(Message)`` precedes the stanza and does not pass the chain.
    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception?

    /// A stanza was received about which ``decide(received:in:)`` did not decide. If the configuration has a store, it
    /// is already stored (XEP-0198 §5).
    nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception

    /// A received stanza could not be parsed and is skipped (``SessionEvent/skipped(_:)``). It is reported in order, so
    /// that it can be counted; it cannot be processed.
    nonisolated(nonsending) func willSkip(_ stanza: UnreadableElement, in session: Session) async

    /// A stanza is about to be queued. It already has an id.
    nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception
}

extension StanzaInterceptor {
    public func concerns(received stanza: AnyStanza) -> Bool { true }
    public func concerns(sent stanza: AnyStanza) -> Bool { true }
    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? { nil }
    public nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        .pass(stanza)
    }
    public nonisolated(nonsending) func willSkip(_ stanza: UnreadableElement, in session: Session) async {}
    public nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        .pass(stanza)
    }
}

extension [any StanzaInterceptor] {
    /// Whether a stanza that is sent concerns one of the chain.
    func concern(sent stanza: AnyStanza) -> Bool {
        for index in indices where self[index].concerns(sent: stanza) { return true }
        return false
    }
}

/// The decision of an interceptor about a stanza.
public enum Interception: Sendable {
    /// Pass the stanza on, possibly changed.
    case pass(AnyStanza)
    /// Drop the stanza. Observers are notified. A received request gets the error `service-unavailable`, because every
    /// request must be answered; the sender of an outgoing stanza gets an error.
    case drop
    /// The interceptor has handled the stanza; it answers a request itself.
    case handled
}
