public import XMPPAddress

/// How far a stream has come, for those who watch it. Progress asks for nothing; what must be done comes as other
/// actions.
public enum StreamProgress: Equatable, Sendable {
    /// The owner is about to connect the transport.
    case willConnect
    /// The transport is connected.
    case connected
    /// The first stream header is being sent.
    case negotiating
    /// The TLS handshake is about to begin.
    case securing
    /// The TLS handshake succeeded.
    case secured(TLSInformation)
    /// The stream is open and, unless tests allow otherwise, encrypted: authentication or registration may begin.
    case opened(StreamFeatures)
    /// Authentication begins with the named SASL mechanism.
    case authenticating(mechanism: String)
    /// The server accepted the credentials and, where the mechanism can, proved that it knows them too.
    case authenticated
    /// An earlier session is being resumed.
    case resuming
    /// A resource is being asked for; nil lets the server choose.
    case binding(resource: String?)
    /// The stream is bound to this address.
    case bound(JID)
    /// The earlier session goes on under this address.
    case resumed(JID)
    /// The owner asked for the stream to be closed.
    case closeRequested
    /// `</stream:stream>` is being written.
    case closingSent
    /// Nothing more will happen.
    case closed
}
