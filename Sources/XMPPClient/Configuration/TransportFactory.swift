public import TransportLayer
public import XMPPAddress

/// Creates the connection of a session: over the network, or in memory for tests.
public struct TransportFactory: Sendable {
    /// The server to which a session connects.
    public struct Target: Sendable {
        /// The domain of the account; the certificate must be for it.
        public var domain: JID
        /// The host to connect to instead of the result of DNS.
        public var host: String?
        public var port: UInt16?
        /// Whether TLS begins with the first byte (XEP-0368).
        public var isDirectTLS: Bool
        public var tls: TLSConfiguration
        /// The proxy of the configuration.
        public var proxy: Proxy?
        /// The event loop on which the session runs.
        public var loop: EventLoop
    }

    package let connect: @Sendable (Target) async throws(TransportError) -> any Transport

    public init(_ connect: @escaping @Sendable (Target) async throws(TransportError) -> any Transport) {
        self.connect = connect
    }
}

extension TransportFactory {
    /// TCP and TLS; the server is found by DNS unless a host is configured.
    public static let network = network(Connector())

    /// TCP and TLS with a connector that has its own settings, such as other DNS servers.
    public static func network(_ connector: Connector) -> TransportFactory {
        TransportFactory { target throws(TransportError) in
            var connector = connector
            if let proxy = target.proxy { connector.configuration.proxy = proxy }
            let place: ConnectionTarget
            if let host = target.host {
                let port =
                    target.port.flatMap { $0 == 0 ? nil : $0 }
                    ?? (target.isDirectTLS ? ConnectionCandidate.defaultDirectTLSPort : nil)
                place = .host(host, port: port, security: target.isDirectTLS ? .directTLS : .startTLS)
            } else {
                place = .domain(target.tls.serverName)
            }
            return try await connector.on(target.loop).connect(to: place, tls: target.tls).transport
        }
    }
}
