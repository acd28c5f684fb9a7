public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// The steps of a connection from its beginning to its end.
///
/// A successful connection passes ``willConnect``, ``connected``, ``negotiating``, ``securing``, ``secured(_:)``,
/// ``opened(_:)``, ``authenticating(mechanism:)``, ``authenticated``, ``binding(resource:)`` and ``bound(_:)`` (or
/// ``resuming`` and ``resumed(_:)``), then ``online(_:isResumed:)``. Each connection ends with exactly one
/// ``disconnected(_:retryAfter:)``.
public enum ConnectionEvent: Sendable {
    /// The session is about to find and connect to the server.
    case willConnect
    /// The transport is connected.
    case connected
    /// The first stream header is being sent.
    case negotiating
    /// The TLS handshake begins. A trust policy that asks the user does so now.
    case securing
    /// The connection is encrypted and the server's certificate was accepted.
    case secured(TLSInformation)
    /// The stream is open: authentication or registration may begin.
    case opened(StreamFeatures)
    /// The server is ready to register an account (XEP-0077).
    case readyToRegister
    /// Authentication begins with this SASL mechanism.
    case authenticating(mechanism: String)
    /// The server accepted the credentials.
    case authenticated
    /// An earlier session is being resumed (XEP-0198 §5).
    case resuming
    /// A resource is being requested; `nil` lets the server choose.
    case binding(resource: String?)
    /// The resource is in use; another one will be requested.
    case resourceInUse(String)
    /// The stream is bound to this address.
    case bound(JID)
    /// The earlier session was resumed with this address.
    case resumed(JID)
    /// Our address has changed.
    case addressChanged(JID)
    /// Stanzas can be exchanged.
    case online(JID, isResumed: Bool)
    /// The program asked for the end of the session.
    case closeRequested
    /// `</stream:stream>` is being written.
    case closingSent
    /// The login timed out.
    case timedOut
    /// The server rejected the login.
    case authenticationFailed(ClientError)
    /// The server ended the stream with an error.
    case streamError(StreamError)
    /// The connection has ended, without an error if it was closed intentionally. If the session tries again, the time
    /// until then is given.
    case disconnected(ClientError?, retryAfter: Duration?)
    /// The start of an extension failed.
    case extensionFailed(String, any Error)
    /// The socket was not read for 10 seconds, because these observers have not read their events: the places in the
    /// program where they began to observe (``Session/events(_:limit:file:line:)``). The session looks online, but nothing
    /// arrives until they read or are released.
    case readingPaused(by: [String])
    /// The observers have read their events, and the socket is read again.
    case readingResumed
}

extension ConnectionEvent {
    /// The event for a step of the stream; `nil` for the last one, which contains less than
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
