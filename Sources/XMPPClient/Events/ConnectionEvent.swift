public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// How a connection comes, goes on and ends, step by step.
///
/// A connection that succeeds passes ``willConnect``, ``connected``, ``negotiating``, ``securing``, ``secured(_:)``,
/// ``opened(_:)``, ``authenticating(mechanism:)``, ``authenticated``, ``binding(resource:)`` and ``bound(_:)`` (or
/// ``resuming`` and ``resumed(_:)``), then ``online(_:isResumed:)``. Each connection ends with exactly one
/// ``disconnected(_:retryAfter:)``.
public enum ConnectionEvent: Sendable {
    /// The session is about to look for the server.
    case willConnect
    /// The transport is connected.
    case connected
    /// The first stream header is being sent.
    case negotiating
    /// The TLS handshake begins. A trust policy that asks a person asks now.
    case securing
    /// The connection is encrypted and the server's certificate was accepted.
    case secured(TLSInformation)
    /// The stream is open: authentication or registration may begin.
    case opened(StreamFeatures)
    /// The server is ready to register an account (XEP-0077).
    case readyToRegister
    /// Authentication begins with that SASL mechanism.
    case authenticating(mechanism: String)
    /// The server accepted the credentials.
    case authenticated
    /// An earlier session is being resumed (XEP-0198 §5).
    case resuming
    /// A resource is being asked for; `nil` lets the server choose.
    case binding(resource: String?)
    /// The resource is in use; another one is being looked for.
    case resourceInUse(String)
    /// The stream is bound to this address.
    case bound(JID)
    /// The earlier session goes on under this address.
    case resumed(JID)
    /// The own address is another one than before.
    case addressChanged(JID)
    /// Stanzas flow.
    case online(JID, isResumed: Bool)
    /// The program asked for the end of the session.
    case closeRequested
    /// `</stream:stream>` is being written.
    case closingSent
    /// The login was not finished before its deadline.
    case timedOut
    /// The server did not accept the login.
    case authenticationFailed(ClientError)
    /// The server ended the stream with an error.
    case streamError(StreamError)
    /// The connection is over: without an error if it was closed on purpose. If the session tries again, the time until
    /// then is given.
    case disconnected(ClientError?, retryAfter: Duration?)
    /// An extension could not do what it does at the start of a session.
    case extensionFailed(String, any Error)
}

extension ConnectionEvent {
    /// The event for a step of the stream; `nil` for the last one, which says less than
    /// ``disconnected(_:retryAfter:)``.
    init?(_ progress: StreamProgress) {
        switch progress {
        case .willConnect: self = .willConnect
        case .connected: self = .connected
        case .negotiating: self = .negotiating
        case .securing: self = .securing
        case .secured(let information): self = .secured(information)
        case .opened(let features): self = .opened(features)
        case .authenticating(let mechanism): self = .authenticating(mechanism: mechanism)
        case .authenticated: self = .authenticated
        case .resuming: self = .resuming
        case .binding(let resource): self = .binding(resource: resource)
        case .bound(let address): self = .bound(address)
        case .resumed(let address): self = .resumed(address)
        case .closeRequested: self = .closeRequested
        case .closingSent: self = .closingSent
        case .closed: return nil
        }
    }
}
