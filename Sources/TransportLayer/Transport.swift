/// A byte stream to one peer: what the session reads from and writes to, whatever carries the bytes.
///
/// The rules that every implementation keeps:
///
/// * One reader at a time. Any number of writers; each ``write(_:)`` goes out whole and in the order of the calls.
/// * Back-pressure both ways: nothing is taken from the peer unless somebody reads, and a writer waits while too much is
///   queued (``TransportLimits/queuedBytes``).
/// * Cancelling the task that waits in ``read()`` or ``write(_:)`` ends the wait with ``TransportError/Code/cancelled``; no byte
///   is lost and the transport stays usable. Cancelling ``startTLS(_:)`` breaks the connection off, because half a handshake is of
///   no use to anybody.
/// * After the first failure every call throws that failure.
public protocol Transport: Sendable {
    /// The next bytes from the peer, as many as are there; an empty array means that the peer ended the stream in order (a FIN without TLS, a
    /// `close_notify` with TLS). Writing is still possible then.
    ///
    /// - Throws: ``TransportError`` with `connectionReset`, `truncated` (the connection ended without `close_notify`: bytes may be
    ///   missing), `closed`, `cancelled`.
    func read() async throws(TransportError) -> [UInt8]

    /// Queues `bytes` for the peer. All that is queued in one turn of the event loop goes out in one TLS write and one system call.
    func write(_ bytes: [UInt8]) async throws(TransportError)

    /// Secures the connection as the client (STARTTLS after `<proceed/>`, RFC 6120 §5.4.2.3, or directly after the connect,
    /// XEP-0368). Everything queued before goes out in clear first.
    ///
    /// - Throws: ``TransportError`` with `certificateRefused` and the reasons in words, or `tlsFailed`.
    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS

    /// Tells the transport that the negotiation of the stream is over.
    ///
    /// Until then TCP segments are acknowledged at once: a server that leaves Nagle's algorithm on (Prosody 0.12) holds its next
    /// small answer back until the acknowledgement comes, which costs 40 ms per login otherwise.
    func negotiationFinished() async

    /// Ends our half of the stream after what is queued: `close_notify` with TLS, then a FIN. Reading is still possible.
    func finishWriting() async throws(TransportError)

    /// Sends what is queued (for a bounded time), ends our half and closes. Waiting readers and writers get `closed`.
    func close() async

    /// Closes at once; what is queued is lost.
    func abort()

    /// Whether the transport carries messages and not a stream of bytes (RFC 7395): each ``write(_:)`` is one message then, and each
    /// ``read()`` gives one whole message, or the next part of a very long one. `false` unless said otherwise.
    var isMessageBased: Bool { get }

    /// What the TLS handshake settled; `nil` without TLS.
    var tlsInformation: NegotiatedTLS? { get async }
}

extension Transport {
    public func negotiationFinished() async {}

    public var isMessageBased: Bool { false }
}
