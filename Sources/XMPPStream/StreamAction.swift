public import XMLStreaming
public import XMPPAddress

/// What a client stream wants from its owner, to be done in the given order.
public enum StreamAction: Equatable, Sendable {
    /// Send these bytes. With ``StreamFraming/webSocket`` they are one whole message.
    case write([UInt8])

    /// Begin the TLS handshake now, then call `tlsEstablished` or `transportClosed`. Bytes received from here on belong
    /// to TLS.
    case startTLS

    /// Close the transport.
    case closeTransport

    /// Report progress to observers.
    case progress(StreamProgress)

    /// The stream waits for registration requests: `sendRegistration`, then `authenticate` or `close`.
    case readyToRegister(StreamFeatures)

    /// The resource is in use; answer with `useResource`.
    case resourceConflict(resource: String)

    /// The server gave out a token for the next login: keep it in place of the one before (XEP-0484).
    case tokenReceived(FASTToken)

    /// The token was rejected: forget it. The login continues with the password, if there is one.
    case tokenRejected

    /// Stanzas flow from here on.
    case established(StreamSession)

    /// Stanzas were received, in this order. Each counts once for `stanzasHandled`, also those that cannot be decoded.
    case stanzas([XMLElement])

    /// A stanza was received that is well-formed XML and cannot be read; what there is of it is its start tag. It
    /// counts once for `stanzasHandled`, like any other.
    case unreadable(UnreadableElement)

    /// Another element was received at the top level of the stream.
    case element(XMLElement)

    /// The server took responsibility for these stanzas, in the order of sending.
    case acknowledged([StanzaToken])

    /// The stanza was not sent because the stream is not, or no longer, ready for stanzas.
    case notSent(StanzaToken)

    /// The stanza was not sent because it has more bytes than the server accepts: ``ClientStream/serverLimits``.
    case tooLarge(StanzaToken, byteCount: Int)

    /// The stream is over. Comes exactly once; nothing follows.
    case ended(StreamEnd)
}

/// The progress of a stream, for observers. Progress requires no action; necessary work is requested by other actions.
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

/// How a stream ended: the one terminal value of a connection.
public struct StreamEnd: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The owner asked for it.
        case requested
        /// The server closed the stream without naming an error.
        case closedByServer
        /// Something went wrong.
        case failed(StreamFailure)
    }

    public let reason: Reason

    /// The value from which the session can be resumed, unless the session has ended.
    public let resumption: ResumptionState?

    /// The stanzas for which the server has not taken responsibility, oldest first. They are also in `resumption`;
    /// without that they must be sent again on another session or reported as lost.
    public let unacknowledged: [UnacknowledgedStanza]

    public init(reason: Reason, resumption: ResumptionState? = nil, unacknowledged: [UnacknowledgedStanza] = []) {
        self.reason = reason
        self.resumption = resumption
        self.unacknowledged = unacknowledged
    }

    /// What went wrong, if anything.
    public var failure: StreamFailure? {
        if case .failed(let failure) = reason { failure } else { nil }
    }
}
