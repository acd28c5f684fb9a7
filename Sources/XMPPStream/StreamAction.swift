public import XMLStreaming

/// What a client stream wants from its owner, to be done in the given order.
public enum StreamAction: Equatable, Sendable {
    /// Send these bytes. With ``StreamFraming/webSocket`` they are one whole message.
    case write([UInt8])

    /// Begin the TLS handshake now, then call `tlsEstablished` or `transportClosed`. Bytes received from here on belong
    /// to TLS.
    case startTLS

    /// Close the transport.
    case closeTransport

    /// Something to tell those who watch.
    case progress(StreamProgress)

    /// The stream waits for registration requests: `sendRegistration`, then `authenticate` or `close`.
    case readyToRegister(StreamFeatures)

    /// The resource is in use; answer with `useResource`.
    case resourceConflict(resource: String)

    /// The server gave out a token for the next login: keep it in place of the one before (XEP-0484).
    case tokenReceived(FASTToken)

    /// The token is of no use any more: forget it. The login goes on with the password, if there is one.
    case tokenRejected

    /// Stanzas flow from here on.
    case established(StreamSession)

    /// Stanzas were received, in this order. Each counts once for `stanzasHandled`, also those that cannot be decoded.
    case stanzas([XMLElement])

    /// A stanza was received that is well-formed XML and cannot be read; what there is of it is its start tag. It counts
    /// once for `stanzasHandled`, like any other.
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
