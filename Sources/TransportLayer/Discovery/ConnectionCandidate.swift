/// One place where a service may be reached.
public struct ConnectionCandidate: Sendable, Hashable, CustomStringConvertible {
    public var host: String
    public var port: UInt16
    public var security: ServiceRecord.Kind
    /// Where WebSocket is spoken there (RFC 7395); `nil` for XMPP over TCP.
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
}

/// Where to connect to.
public enum ConnectionTarget: Sendable, Hashable {
    /// The domain of the JID, as A-labels: SRV first, then the domain itself at port 5222 (RFC 6120 §3.2).
    case domain(String)
    /// This host and nothing else; no SRV. A port of `nil` or 0 means 5222.
    case host(String, port: UInt16?, security: ServiceRecord.Kind = .startTLS)
    /// XMPP over WebSocket at this URL and nothing else, `wss://example.com/xmpp-websocket`; no SRV and no host-meta.
    case webSocket(String)
}

/// What a ``Connector`` is about, for whoever shows progress.
public enum ConnectionProgress: Sendable, Equatable {
    case resolving(String)
    /// No TCP candidate of the domain could be reached; its host-meta file is fetched.
    case lookingForWebSocket(String)
    case connecting(ConnectionCandidate)
    /// TCP is up; TLS has not begun.
    case connected(ConnectionCandidate, SocketAddress)
    case failed(ConnectionAttempt)
}

/// An open connection.
public struct EstablishedConnection: Sendable {
    public var transport: any Transport
    public var candidate: ConnectionCandidate
    /// Of the TLS handshake, with direct TLS and WebSocket; `nil` when STARTTLS is to follow.
    public var tls: NegotiatedTLS?
}
