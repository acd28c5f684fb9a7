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
