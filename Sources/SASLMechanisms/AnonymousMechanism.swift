/// ANONYMOUS (RFC 4505, XEP-0175), the client's side: no identity, and no trace of one is sent.
public struct AnonymousClient: SASLClientMechanism {
    public var name: SASLMechanismName { .anonymous }

    public init() {}

    /// None: XEP-0175 shows the bare element, which servers read more surely than an empty message.
    public mutating func start() throws(SASLError) -> [UInt8]? { nil }

    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        guard challenge.isEmpty else { throw SASLError(.unexpectedMessage) }
        return []
    }

    /// ANONYMOUS proves nothing about the server; TLS did that.
    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {}
}

/// ANONYMOUS, the server's side; the server makes an address up after the success.
public struct AnonymousServer: SASLServerMechanism {
    public var name: SASLMechanismName { .anonymous }

    public init() {}

    /// The client's trace, if any, is dropped unread.
    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        .success(SASLIdentity(username: ""), additionalData: nil)
    }
}
