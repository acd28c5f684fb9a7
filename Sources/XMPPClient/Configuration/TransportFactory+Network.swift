public import TransportLayer

extension TransportFactory {
    /// The ports of XMPP for clients, with STARTTLS (RFC 6120 §14.7) and with direct TLS (by custom).
    private static let ports: (startTLS: UInt16, directTLS: UInt16) = (5222, 5223)

    /// TCP and TLS to the host that the configuration names by its IP address.
    public static let network = TransportFactory { target throws(TransportError) in
        let port = target.port.flatMap { $0 == 0 ? nil : $0 } ?? (target.isDirectTLS ? ports.directTLS : ports.startTLS)
        guard let address = SocketAddress(target.host ?? target.tls.serverName, port: port) else {
            throw TransportError(.resolutionFailed, "Only IP addresses can be connected to so far.")
        }
        let transport = try await SocketTransport.connect(to: address)
        if target.isDirectTLS { _ = try await transport.startTLS(target.tls) }
        return transport
    }
}
