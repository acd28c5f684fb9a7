import Synchronization

/// XMPP over WebSocket (RFC 7395), for networks that allow only HTTPS.
///
/// Each ``write(_:)`` is one text message, and each ``read()`` returns one whole message: `<open/>`, a stanza,
/// `<close/>`. Masks, fragments, pings and the closing handshake are internal. TLS comes first (`wss:`), so
/// ``startTLS(_:)`` is refused.
///
/// It differs from a byte stream in one way: after the peer has closed the connection by its close frame, nothing more
/// can be written (RFC 6455 §5.5.1).
public final actor WebSocketTransport: Transport {
    private let base: any Transport
    private let executor: EventLoop
    private var connection: WebSocketConnection
    private var generator = SystemRandomNumberGenerator()
    /// Data that arrived with the server's response to the upgrade.
    private var early: [UInt8]
    private var messages: [[UInt8]] = []
    private var nextMessage = 0
    private var isEnded = false
    private var failure: TransportError?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    public nonisolated var isMessageBased: Bool { true }

    /// Changes a connection from HTTP to WebSocket.
    ///
    /// - Parameters:
    ///   - base: connected, and secured unless the URL is `ws:`. The new transport takes ownership.
    ///   - timeout: for the server's response.
    /// - Throws: `httpStatus` if the server responds with a status other than 101, including redirects;
    ///   `webSocketFailed` if it does not support WebSocket or XMPP over it; `timedOut`, `cancelled` and the errors of
    ///   the connection itself. The connection is aborted then.
    public static func upgrade(
        _ base: some Transport, to url: WebSocketURL, limits: WebSocketLimits = WebSocketLimits(),
        timeout: Duration = .seconds(15)
    ) async throws(TransportError) -> WebSocketTransport {
        let hasTimedOut = Mutex(false)
        let timer = Task {
            try? await Task.sleep(for: timeout)
            guard !Task.isCancelled else { return }
            hasTimedOut.withLock { $0 = true }
            base.abort()
        }
        defer { timer.cancel() }
        do throws(TransportError) {
            if url.isSecure, await base.tlsInformation == nil {
                throw TransportError(.invalidConfiguration, "The connection is not encrypted, so it is not \(url).")
            }
            let upgrade = WebSocketUpgrade(url, nonce: WebSocketUpgrade.nonce())
            try await base.write(upgrade.request)
            let rest = try await receiveAnswer(base, upgrade, url, limits)
            return WebSocketTransport(base: base, limits: limits, early: rest)
        } catch {
            base.abort()
            guard hasTimedOut.withLock({ $0 }) else { throw error }
            throw TransportError(.timedOut, "The server at \(url) did not change to WebSocket within \(timeout).")
        }
    }

    private static func receiveAnswer(
        _ base: some Transport, _ upgrade: WebSocketUpgrade, _ url: WebSocketURL, _ limits: WebSocketLimits
    ) async throws(TransportError) -> [UInt8] {
        var answer = WebSocketUpgradeReader(
            accept: upgrade.accept, subprotocol: WebSocketUpgrade.subprotocol, limits: limits)
        while true {
            let bytes = try await base.read()
            guard !bytes.isEmpty else {
                throw TransportError(.webSocketFailed, "\(url): the server closed the connection without a response.")
            }
            do throws(WebSocketUpgradeReader.Failure) {
                if let rest = try answer.append(bytes) { return rest }
            } catch {
                let code: TransportError.Code = if case .status = error { .httpStatus } else { .webSocketFailed }
                throw TransportError(code, "\(url): \(error)")
            }
        }
    }

    private init(base: some Transport, limits: WebSocketLimits, early: [UInt8]) {
        self.base = base
        // The executor of the connection below, so that calls need no change of threads.
        executor = (base as? SocketTransport)?.loop ?? .shared
        self.early = early
        connection = WebSocketConnection(role: .client, limits: limits)
    }

    // MARK: Reading

    public func read() async throws(TransportError) -> [UInt8] {
        while true {
            if let message = takeMessage() { return message }
            if let failure { throw failure }
            if isEnded { return [] }
            var bytes = early
            early = []
            if bytes.isEmpty {
                bytes = try await base.read()
                if bytes.isEmpty { try endedWithoutHandshake() }
            }
            await received(bytes)
        }
    }

    private func takeMessage() -> [UInt8]? {
        guard nextMessage < messages.count else { return nil }
        let message = messages[nextMessage]
        nextMessage += 1
        if nextMessage == messages.count { (messages, nextMessage) = ([], 0) }
        return message
    }

    private func received(_ bytes: [UInt8]) async {
        var output: [UInt8] = []
        var isOver = false
        for action in connection.bytesReceived(bytes, using: &generator) {
            switch action {
            case .write(let bytes): output += bytes
            // An empty array would mean the end.
            case .message(let message): if !message.isEmpty { messages.append(message) }
            case .ended(let closure):
                isOver = true
                isEnded = true
                if let closure, !closure.isOrderly {
                    failure = TransportError(.webSocketFailed, "The server ended the WebSocket connection: \(closure).")
                }
            case .failed(let error):
                isOver = true
                failure = TransportError(.webSocketFailed, "The server violated the WebSocket protocol. \(error)")
            }
        }
        // If sending fails, the next read reports why.
        if !output.isEmpty { try? await base.write(output) }
        if isOver { try? await base.finishWriting() }
    }

    /// The connection below ended properly, but without a close frame.
    private func endedWithoutHandshake() throws(TransportError) {
        isEnded = true
        if connection.isIncomplete { failure = .truncatedInMessage }
    }

    // MARK: Writing

    public func write(_ bytes: [UInt8]) async throws(TransportError) {
        if let failure { throw failure }
        if bytes.isEmpty { return }
        guard let frame = connection.send(bytes, using: &generator) else {
            throw TransportError(.writingFinished, "The WebSocket connection has been closed already.")
        }
        try await base.write(frame)
    }

    public func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        throw TransportError(.invalidConfiguration, "With WebSocket, TLS comes before everything else.")
    }

    public func negotiationFinished() async {
        await base.negotiationFinished()
    }

    /// Sends the close frame. The peer responds with its own, and then ``read()`` returns the end.
    public func finishWriting() async throws(TransportError) {
        if let failure { throw failure }
        if let frame = connection.close(using: &generator) { try await base.write(frame) }
    }

    // MARK: End

    public func close() async {
        if let frame = connection.close(using: &generator) {
            let base = base
            let farewell = Task { try? await base.write(frame) }
            let timer = Task {
                try? await Task.sleep(for: Self.closing)
                farewell.cancel()
            }
            await farewell.value
            timer.cancel()
        }
        failure = failure ?? .closedHere
        await base.close()
    }

    /// The maximum time to wait for a peer that accepts no more data.
    private static let closing = Duration.seconds(2)

    public nonisolated func abort() {
        base.abort()
    }

    public var tlsInformation: NegotiatedTLS? {
        get async { await base.tlsInformation }
    }
}

extension TransportError {
    static let truncatedInMessage = TransportError(
        .truncated, "The connection ended inside of a WebSocket message: the rest is missing.")
}
