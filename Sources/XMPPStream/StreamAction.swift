public import XMLStreaming
public import XMPPAddress

/// An action that a client stream requests from its owner; actions are performed in order.
public enum StreamAction: Equatable, Sendable {
    /// Send these bytes. With ``StreamFraming/webSocket`` they are one whole message.
    case write([UInt8])

    /// Begin the TLS handshake now, then call `tlsEstablished` or `transportClosed`. Bytes received from now on belong
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

    /// The server issued a token for the next login, which replaces the previous one (XEP-0484).
    case tokenReceived(FASTToken)

    /// The token was rejected: forget it. The login continues with the password, if there is one.
    case tokenRejected

    /// The stream is established.
    case established(StreamSession)

    /// Stanzas were received, in this order. Each counts once for `stanzasHandled`, also those that cannot be decoded.
    case stanzas([XMLElement])

    /// A received stanza is well-formed XML but unreadable; only its start tag is available. It counts once for
    /// `stanzasHandled`, like any other.
    case unreadable(UnreadableElement)

    /// Another element was received at the top level of the stream.
    case element(XMLElement)

    /// The server acknowledged these stanzas, in the order of sending.
    case acknowledged([StanzaToken])

    /// The stanza was not sent because the stream is not, or no longer, ready for stanzas.
    case notSent(StanzaToken)

    /// The stanza was not sent because it is larger than the server accepts: ``ClientStream/serverLimits``.
    case tooLarge(StanzaToken, byteCount: Int)

    /// The stream has ended. Returned exactly once; nothing follows.
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
    /// The server accepted the credentials and, if the mechanism supports it, proved that it knows them too.
    case authenticated
    /// An earlier session is being resumed.
    case resuming
    /// A resource is being requested; nil lets the server choose.
    case binding(resource: String?)
    /// The stream is bound to this address.
    case bound(JID)
    /// The earlier session was resumed with this address.
    case resumed(JID)
    /// The owner requested the end of the stream.
    case closeRequested
    /// `</stream:stream>` is being written.
    case closingSent
    /// Nothing more will happen.
    case closed
}

/// How a stream ended: the final value of a connection.
public struct StreamEnd: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The owner requested it.
        case requested
        /// The server closed the stream without an error.
        case closedByServer
        /// The stream failed.
        case failed(StreamFailure)
    }

    public let reason: Reason

    /// The value from which the session can be resumed, unless the session has ended.
    public let resumption: ResumptionState?

    /// The stanzas that the server has not acknowledged, oldest first. They are also in `resumption`; without a
    /// resumption they must be sent again in another session or reported as lost.
    public let unacknowledged: [UnacknowledgedStanza]

    public init(reason: Reason, resumption: ResumptionState? = nil, unacknowledged: [UnacknowledgedStanza] = []) {
        self.reason = reason
        self.resumption = resumption
        self.unacknowledged = unacknowledged
    }

    /// The failure, if there was one.
    public var failure: StreamFailure? {
        if case .failed(let failure) = reason { failure } else { nil }
    }
}

/// Collects the actions of one event: adjacent writes are joined if the transport carries a stream, adjacent stanzas
/// form one batch.
package struct ActionList: Sendable {
    private var actions: [StreamAction] = []
    private var bytes: [UInt8] = []
    private var stanzas: [XMLElement] = []

    private let framing: StreamFraming

    package init(_ framing: StreamFraming) { self.framing = framing }

    /// One element.
    package mutating func write(_ element: [UInt8]) {
        send(framing.document(of: element))
    }

    /// Adds an element that opens or closes a stream, or is already framed.
    package mutating func send(_ more: [UInt8]) {
        flushStanzas()
        if framing == .webSocket { flushBytes() }
        if bytes.isEmpty { bytes = more } else { bytes += more }
    }

    package mutating func stanza(_ stanza: XMLElement) {
        flushBytes()
        stanzas.append(stanza)
    }

    package mutating func append(_ action: StreamAction) {
        flushStanzas()
        flushBytes()
        actions.append(action)
    }

    package mutating func take() -> [StreamAction] {
        flushStanzas()
        flushBytes()
        let result = actions
        actions = []
        return result
    }

    private mutating func flushBytes() {
        guard !bytes.isEmpty else { return }
        actions.append(.write(bytes))
        bytes = []
    }

    private mutating func flushStanzas() {
        guard !stanzas.isEmpty else { return }
        actions.append(.stanzas(stanzas))
        stanzas = []
    }
}
