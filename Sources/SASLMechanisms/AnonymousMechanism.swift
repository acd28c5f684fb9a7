/// The client side of ANONYMOUS (RFC 4505, XEP-0175). It sends neither an identity nor trace information.
public struct AnonymousClient: SASLClientMechanism {
    public var name: SASLMechanismName { .anonymous }

    public init() {}

    /// None: XEP-0175 shows the empty element, which more servers accept than an empty message.
    public mutating func start() throws(SASLError) -> [UInt8]? { nil }

    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        guard challenge.isEmpty else { throw SASLError(.unexpectedMessage) }
        return []
    }

    /// ANONYMOUS proves nothing about the server; TLS did.
    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {}
}
