import Synchronization
public import TransportLayer

/// One side of a connection in memory: the counterpart of `SocketTransport` for tests.
///
/// It follows all rules of `Transport`, including back-pressure. TLS is simulated: both sides get the `NegotiatedTLS`
/// passed when the pair was created, so channel bindings agree, and nothing is encrypted.
public final class InMemoryTransport: Transport {
    private let incoming: BytePipe
    private let outgoing: BytePipe
    private let pretendedTLS: NegotiatedTLS
    private let readLimit: Int
    private let settled = Mutex<NegotiatedTLS?>(nil)
    private let isClosed = Atomic(false)

    /// Creates two connected sides.
    ///
    /// - Parameters:
    ///   - capacity: the number of bytes buffered in each direction before a writer has to wait.
    ///   - readLimit: the maximum number of bytes returned by one read; 1 shows whether a parser depends on how the
    ///     data is split.
    public static func pair(
        capacity: Int = 64 * 1024, readLimit: Int = .max, tls: NegotiatedTLS = .pretended
    ) -> (InMemoryTransport, InMemoryTransport) {
        let there = BytePipe(capacity: capacity)
        let back = BytePipe(capacity: capacity)
        return (
            InMemoryTransport(incoming: back, outgoing: there, tls: tls, readLimit: readLimit),
            InMemoryTransport(incoming: there, outgoing: back, tls: tls, readLimit: readLimit)
        )
    }

    private init(incoming: BytePipe, outgoing: BytePipe, tls: NegotiatedTLS, readLimit: Int) {
        self.incoming = incoming
        self.outgoing = outgoing
        self.pretendedTLS = tls
        self.readLimit = readLimit
    }

    public func read() async throws(TransportError) -> [UInt8] {
        try await incoming.read(limit: readLimit)
    }

    public func write(_ bytes: [UInt8]) async throws(TransportError) {
        try await outgoing.write(bytes)
    }

    public func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        settled.withLock { $0 = pretendedTLS }
        return pretendedTLS
    }

    public func finishWriting() async throws(TransportError) {
        try outgoing.finish()
    }

    public func close() async {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        try? outgoing.finish()
        outgoing.stopWriting(.closedHere)
        incoming.stopReading(.closedHere)
    }

    public func abort() {
        // As with a socket, what was written before it was closed arrives.
        if isClosed.load(ordering: .sequentiallyConsistent) { return }
        outgoing.fail(reader: Self.reset, writer: .closedHere)
        incoming.fail(reader: .closedHere, writer: Self.reset)
    }

    public var tlsInformation: NegotiatedTLS? { settled.withLock { $0 } }

    /// Whether a writer has to wait.
    package var isStalled: Bool { outgoing.isFull }

    /// Whether the other end writes nothing more: it has closed, finished writing or aborted.
    var isPeerGone: Bool { incoming.isEnded }

    private static let reset = TransportError(.connectionReset, "The peer broke the connection off.")
}

extension NegotiatedTLS {
    /// The simulated TLS of an ``InMemoryTransport``.
    public static let pretended = NegotiatedTLS(
        version: .tls13, cipher: "TLS_AES_128_GCM_SHA256", tlsExporter: [UInt8](repeating: 0x5A, count: 32),
        tlsServerEndPoint: [UInt8](repeating: 0xA5, count: 32))
}
