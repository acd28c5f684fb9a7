public import SASLMechanisms

/// What the owner knows about a TLS connection after its handshake.
public struct TLSInformation: Hashable, Sendable {
    public enum Version: String, Hashable, Sendable {
        case tls12 = "TLSv1.2"
        case tls13 = "TLSv1.3"
    }

    public let version: Version

    /// The channel bindings that can be given for this connection (RFC 5929, RFC 9266), each with its data.
    public let channelBindings: [ChannelBinding]

    /// The name of the cipher suite, for people.
    public let cipherSuite: String?

    public init(version: Version, channelBindings: [ChannelBinding] = [], cipherSuite: String? = nil) {
        self.version = version
        self.channelBindings = channelBindings
        self.cipherSuite = cipherSuite
    }
}
