/// The client side of one exchange (RFC 4422 §4): bytes in, bytes out, no I/O.
///
/// The owner sends the result of ``start()`` with the mechanism's name, answers each challenge with the result of
/// ``respond(to:)``, and accepts the server's success only if ``succeed(with:)`` does not throw. After an error the
/// exchange is over and the owner aborts it on the wire.
///
/// All bytes are the raw ones of the mechanism. The owner applies the base64 of XMPP's elements (RFC 6120 §6.4),
/// including `=` for an empty message.
public protocol SASLClientMechanism: Sendable {
    /// The name for the `mechanism` attribute.
    var name: SASLMechanismName { get }

    /// The initial response: `nil` for none, an empty array for an empty one (`=` on the wire). Call it once.
    mutating func start() throws(SASLError) -> [UInt8]?

    /// The response to a challenge.
    mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8]

    /// Handles the server's success and its additional data. Throws if the server has not proved what the mechanism
    /// requires; the connection must not be used then.
    mutating func succeed(with additionalData: [UInt8]?) throws(SASLError)

    /// Keys that may be stored in place of the password after the exchange succeeded.
    var reusableKeys: SCRAMKeys? { get }
}

extension SASLClientMechanism {
    /// By default none: most mechanisms derive no reusable keys.
    public var reusableKeys: SCRAMKeys? { nil }
}

/// The client side of PLAIN (RFC 4616). It sends the password itself, so the negotiator uses it only inside TLS and
/// only if the policy allows it.
///
///     C: [authzid] NUL authcid NUL passwd
public struct PlainClient: SASLClientMechanism {
    public var name: SASLMechanismName { .plain }
    private let credentials: SASLCredentials

    public init(credentials: SASLCredentials) { self.credentials = credentials }

    public mutating func start() throws(SASLError) -> [UInt8]? {
        guard let password = credentials.password else { throw SASLError(.passwordNeeded) }
        let username = try SASLText.bytes(of: credentials.username, naming: "user name")
        let secret = try SASLText.bytes(of: password, naming: "password")
        var message: [UInt8] = []
        if let authorizationID = credentials.authorizationID {
            message += try SASLText.bytes(of: authorizationID, naming: "authorization identity")
        }
        message.append(0)
        message += username
        message.append(0)
        message += secret
        return message
    }

    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        throw SASLError(.unexpectedMessage)
    }

    /// PLAIN proves nothing about the server; TLS did.
    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {}
}

/// The client side of EXTERNAL (RFC 4422 appendix A, XEP-0178): the TLS client certificate is the proof.
///
///     C: [authzid]
public struct ExternalClient: SASLClientMechanism {
    public var name: SASLMechanismName { .external }
    private let authorizationID: String?

    /// `authorizationID` is `nil` if the server should derive the identity from the certificate.
    public init(authorizationID: String?) { self.authorizationID = authorizationID }

    public mutating func start() throws(SASLError) -> [UInt8]? {
        guard let authorizationID else { return [] }
        return try SASLText.bytes(of: authorizationID, naming: "authorization identity")
    }

    /// A server that overlooked the empty initial response asks again.
    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        guard challenge.isEmpty else { throw SASLError(.unexpectedMessage) }
        return try start() ?? []
    }

    /// EXTERNAL proves nothing about the server; TLS did.
    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {}
}

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
