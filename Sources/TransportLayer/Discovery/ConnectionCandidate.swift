/// One endpoint of a service.
public struct ConnectionCandidate: Sendable, Hashable, CustomStringConvertible {
    public var host: String
    public var port: UInt16
    public var security: ServiceRecord.Kind
    /// The URL for WebSocket (RFC 7395); `nil` for XMPP over TCP.
    public let webSocketURL: WebSocketURL?

    public init(host: String, port: UInt16, security: ServiceRecord.Kind) {
        self.host = host
        self.port = port
        self.security = security
        webSocketURL = nil
    }

    public init(_ url: WebSocketURL) {
        host = url.host
        port = url.port
        security = .directTLS
        webSocketURL = url
    }

    public var description: String {
        if let webSocketURL { return webSocketURL.description }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The port of XMPP for clients (RFC 6120 §14.7).
    public static let defaultPort: UInt16 = 5222
    /// The usual port of direct TLS; XEP-0368 specifies none.
    public static let defaultDirectTLSPort: UInt16 = 5223
}

/// The destination of a connection.
public enum ConnectionTarget: Sendable, Hashable {
    /// The domain of the JID, as A-labels: SRV first, then the domain itself at port 5222 (RFC 6120 §3.2).
    case domain(String)
    /// Only this host, without SRV. A port of `nil` or 0 means 5222.
    case host(String, port: UInt16?, security: ServiceRecord.Kind = .startTLS)
    /// Only XMPP over WebSocket at this URL, `wss://example.com/xmpp-websocket`; without SRV and host-meta.
    case webSocket(String)
}

/// The progress of a ``Connector``, for display.
public enum ConnectionProgress: Sendable, Equatable {
    case resolving(String)
    /// No TCP candidate of the domain was reachable; its host-meta file is fetched.
    case lookingForWebSocket(String)
    case connecting(ConnectionCandidate)
    /// TCP is connected; TLS has not started.
    case connected(ConnectionCandidate, SocketAddress)
    case failed(ConnectionAttempt)
}

/// An open connection.
public struct EstablishedConnection: Sendable {
    public var transport: any Transport
    public var candidate: ConnectionCandidate
    /// The result of the TLS handshake for direct TLS and WebSocket; `nil` if STARTTLS is to follow.
    public var tls: NegotiatedTLS?
}

/// When to use XMPP over WebSocket, which a domain announces in its host-meta file.
public enum WebSocketPolicy: Sendable, Hashable, CaseIterable {
    case never

    /// After every TCP candidate of the domain has failed for a network reason: refused, unreachable, reset, timed out
    /// or not found. Networks that allow only HTTPS look like that. A refused certificate, or another failure of TLS,
    /// is not such a reason, so an attacker in between gets no second chance.
    case whenBlocked

    /// Instead of TCP, for tests and for known networks; SRV records are not looked up.
    case only

    /// Whether these failures of all TCP candidates permit WebSocket.
    func isAllowed(after errors: [TransportError]) -> Bool {
        switch self {
        case .never: false
        case .only: true
        case .whenBlocked:
            // Without DNS the domain of the file cannot be resolved either.
            !errors.isEmpty && errors.allSatisfy { Self.networkReasons.contains($0.code) }
                && !errors.allSatisfy { $0.code == .resolutionFailed }
        }
    }

    private static let networkReasons: Set<TransportError.Code> = [
        .connectionRefused, .unreachable, .timedOut, .connectionReset, .truncated, .hostNotFound, .resolutionFailed,
        // Many proxies allow only the port of HTTPS.
        .proxyFailed,
    ]
}
