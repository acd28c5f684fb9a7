public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// An action that a server stream requests from its owner; actions are performed in order.
public enum ServerStreamAction: Equatable, Sendable {
    public enum End: Equatable, Sendable {
        /// One side closed the stream properly.
        case closed
        /// The server ended the stream with this error.
        case error(StreamError)
        /// The client ended it with this error.
        case peerError(StreamError)
        /// The connection was lost; a resumable session waits with this SM-ID.
        case lost(suspended: String?)
    }

    case write([UInt8])
    /// Begin the TLS handshake after the previous bytes are written, then call `tlsEstablished`.
    case startTLS
    case closeTransport
    /// An account was created.
    case registered(username: String)
    /// The client proved to be this user.
    case authenticated(username: String, mechanism: String)
    /// A resource was bound.
    case bound(JID)
    /// An earlier session was resumed.
    case resumed(JID)
    /// Stanzas of the client, in their order. Confirm them with `stanzasHandled`.
    case stanzas([XMLElement])
    /// Another element.
    case element(XMLElement)
    /// The client acknowledged these.
    case acknowledged([StanzaToken])
    /// The stream has ended. Returned exactly once.
    case ended(End)
}
