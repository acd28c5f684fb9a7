public import TransportLayer
public import XMPPAddress

/// Makes the connection of a session: over the network, or in memory for tests.
public struct TransportFactory: Sendable {
    /// Where a session wants to be connected to.
    public struct Target: Sendable {
        /// The domain of the account; the certificate must be for it.
        public var domain: JID
        /// Where to connect in place of what DNS says.
        public var host: String?
        public var port: UInt16?
        /// Whether TLS begins with the first byte (XEP-0368).
        public var isDirectTLS: Bool
        public var tls: TLSConfiguration
    }

    package let connect: @Sendable (Target) async throws(TransportError) -> any Transport

    public init(_ connect: @escaping @Sendable (Target) async throws(TransportError) -> any Transport) {
        self.connect = connect
    }
}
