import Synchronization

/// XMPP over WebSocket (RFC 7395): for networks that let nothing through but HTTPS.
///
/// Each ``write(_:)`` is one text message, and each ``read()`` gives one whole message: `<open/>`, a stanza, `<close/>`. Masks, fragments,
/// pings and the closing handshake stay inside. TLS comes before it (`wss:`), so ``startTLS(_:)`` is refused.
///
/// It differs from a stream of bytes in one way: when the peer has ended the connection by its close frame, nothing can be written any
/// more (RFC 6455 §5.5.1).
public actor WebSocketTransport: Transport {
    private let base: any Transport
    private let executor: EventLoop
    private var connection: WebSocketConnection
    private var generator = SystemRandomNumberGenerator()
    /// What came with the server's answer to the upgrade.
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
    ///   - base: connected, and secured unless the URL is `ws:`. It belongs to the new transport from now on.
    ///   - timeout: for the server's answer.
    /// - Throws: `httpStatus` when the server answers with another status than 101, redirections included; `webSocketFailed` when it does not
    ///   understand WebSocket or XMPP over it; `timedOut`, `cancelled` and what the connection itself may throw. The connection is broken
    ///   off then.
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
                throw TransportError(.webSocketFailed, "\(url): the server ended the connection without an answer.")
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
        // On the thread of the connection below nothing waits for a change of threads.
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
                failure = TransportError(.webSocketFailed, "The server broke a rule of WebSocket. \(error)")
            }
        }
        // If it cannot be sent, the next read says why.
        if !output.isEmpty { try? await base.write(output) }
        if isOver { try? await base.finishWriting() }
    }

    /// The connection below has ended in order, but without a close frame.
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

    /// Sends the close frame. The peer answers with its own, and then ``read()`` gives the end.
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

    /// A peer that takes nothing any more does not hold us up for longer.
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
