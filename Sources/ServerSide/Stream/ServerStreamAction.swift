public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// What a server stream wants from its owner, to be done in the given order.
public enum ServerStreamAction: Equatable, Sendable {
    public enum End: Equatable, Sendable {
        /// One end closed the stream politely.
        case closed
        /// The server ended the stream with this error.
        case error(StreamError)
        /// The client ended it with this error.
        case peerError(StreamError)
        /// The connection is gone; the session waits under this SM-ID, if it may be resumed.
        case lost(suspended: String?)
    }

    case write([UInt8])
    /// Begin the TLS handshake after the bytes before are written, then call `tlsEstablished`.
    case startTLS
    case closeTransport
    /// An account was created.
    case registered(username: String)
    /// The client proved to be this user.
    case authenticated(username: String, mechanism: String)
    /// A resource was bound.
    case bound(JID)
    /// An earlier session goes on.
    case resumed(JID)
    /// Stanzas of the client, in their order. Confirm them with `stanzasHandled`.
    case stanzas([XMLElement])
    /// Another element.
    case element(XMLElement)
    /// The client took responsibility for these.
    case acknowledged([StanzaToken])
    /// The stream is over. Comes exactly once.
    case ended(End)
}
