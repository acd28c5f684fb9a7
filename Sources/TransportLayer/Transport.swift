/// A byte stream to one peer, which the session reads and writes.
///
/// Every implementation follows these rules:
///
/// * One reader at a time. Any number of writers; each ``write(_:)`` is sent as a whole and in the order of the calls.
/// * Back-pressure in both directions: bytes are accepted from the peer only during a read, and a writer waits while
///   too much is queued (``TransportLimits/queuedBytes``).
/// * Cancelling the task that waits in ``read()`` or ``write(_:)`` ends the wait with
///   ``TransportError/Code/cancelled``; no byte is lost and the transport stays usable. Cancelling ``startTLS(_:)``
///   aborts the connection, because half a handshake is of no use.
/// * After the first failure every call throws that failure.
public protocol Transport: Sendable {
    /// The next bytes from the peer, as many as are available; an empty array means that the peer ended the stream
    /// properly (a FIN without TLS, a `close_notify` with TLS). Writing is still possible then.
    ///
    /// - Throws: ``TransportError`` with `connectionReset`, `truncated` (the connection ended without `close_notify`: bytes may be
    ///   missing), `closed`, `cancelled`.
    func read() async throws(TransportError) -> [UInt8]

    /// Queues `bytes` for the peer. Everything queued in one iteration of the event loop is sent in one TLS write and
    /// one system call.
    func write(_ bytes: [UInt8]) async throws(TransportError)

    /// Secures the connection as the client (STARTTLS after `<proceed/>`, RFC 6120 §5.4.2.3, or directly after
    /// connecting, XEP-0368). Bytes queued before are sent unencrypted.
    ///
    /// - Throws: ``TransportError`` with `certificateRefused` and the problems, or `tlsFailed`.
    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS

    /// Informs the transport that the stream negotiation has finished.
    ///
    /// Until then TCP segments are acknowledged at once: otherwise a server that uses Nagle's algorithm (Prosody 0.12)
    /// delays its next small response until the acknowledgement, which costs 40 ms per login.
    func negotiationFinished() async

    /// Ends our half of the stream after the queued bytes: `close_notify` with TLS, then a FIN. Reading is still
    /// possible.
    func finishWriting() async throws(TransportError)

    /// Sends the queued bytes (with a timeout), ends our half and closes. Waiting readers and writers get `closed`.
    func close() async

    /// Closes at once; queued bytes are lost.
    func abort()

    /// Whether the transport carries messages instead of a byte stream (RFC 7395): each ``write(_:)`` is then one
    /// message, and each ``read()`` returns one whole message, or the next part of a very long one. The default is
    /// `false`.
    var isMessageBased: Bool { get }

    /// The result of the TLS handshake; `nil` without TLS.
    var tlsInformation: NegotiatedTLS? { get async }
}

extension Transport {
    public func negotiationFinished() async {}

    public var isMessageBased: Bool { false }
}

/// A transport that lives on an event loop: an owner on the same loop reads and writes without a task. Everything except
/// ``loop`` is called on the thread of the loop.
package protocol EventLoopTransport: Transport, AnyObject {
    var loop: EventLoop { get }

    /// Whether bytes can be queued without waiting.
    var isReadyToWrite: Bool { get }

    /// Queues bytes, when ``isReadyToWrite`` was true just before.
    func writeNow(_ bytes: [UInt8])

    /// Passes what arrives to the reader from now on, and retains it until the end; no task may read.
    func startReading(_ reader: any TransportReader)

    /// Accepts no bytes from the peer until ``resumeReading()``.
    func pauseReading()

    func resumeReading()

    /// Releases the reader, which gets nothing more.
    func stopReading()
}

/// The owner of an ``EventLoopTransport``. It is called on the thread of the loop.
package protocol TransportReader: AnyObject, Sendable {
    /// Bytes arrived; they are valid only during the call.
    func bytesArrived(_ bytes: UnsafeRawBufferPointer)

    /// The last bytes that could be read in this turn have arrived.
    func arrivalsEnded()

    /// The peer has ended the stream properly (`nil`), or the transport has failed. The reader is released.
    func readingEnded(_ error: TransportError?)
}

/// The memory limits and timeouts of a transport.
public struct TransportLimits: Sendable, Hashable {
    /// The number of queued bytes at which ``Transport/write(_:)`` suspends. 256 KiB are enough for a fast connection
    /// and limit the cost of a stalled peer.
    public var queuedBytes = 256 * 1024

    /// The maximum number of bytes that one ``Transport/read()`` returns. 64 KiB was the best measured value: 16 KiB
    /// cost 18 % more, 4 KiB 33 % more.
    public var bytesPerRead = 64 * 1024

    /// How long ``Transport/close()`` waits for the peer to accept the queued bytes.
    public var closing: Duration = .seconds(2)

    /// How long sent bytes may stay unacknowledged before the kernel closes the connection (`TCP_USER_TIMEOUT`); `nil`
    /// leaves the default of the system, about a quarter of an hour.
    public var unacknowledged: Duration? = .seconds(60)

    public init() {}
}
