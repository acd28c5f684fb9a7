/// The client's side of one exchange (RFC 4422 §4): bytes in, bytes out, no I/O.
///
/// The owner sends what ``start()`` returns with the mechanism's name, answers each challenge with what
/// ``respond(to:)`` returns, and believes the server's success only if ``succeed(with:)`` does not throw. After an
/// error the exchange is over; the owner aborts it on the wire.
///
/// All bytes are the mechanism's own: the base64 of XMPP's elements (RFC 6120 §6.4) is the owner's, and so is the `=`
/// that stands for an empty message there.
public protocol SASLClientMechanism: Sendable {
    /// The name that goes into the `mechanism` attribute.
    var name: SASLMechanismName { get }

    /// The initial response: `nil` for none, an empty array for one of no bytes (`=` on the wire). To be called once.
    mutating func start() throws(SASLError) -> [UInt8]?

    /// The answer to a challenge.
    mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8]

    /// Takes the server's success, with the data that came with it. Throws where the server has not proved what the
    /// mechanism makes it prove; the connection must then not be used.
    mutating func succeed(with additionalData: [UInt8]?) throws(SASLError)

    /// What may be kept in place of the password once the exchange has succeeded.
    var reusableKeys: SCRAMKeys? { get }
}

extension SASLClientMechanism {
    /// Nothing: most mechanisms leave nothing to keep.
    public var reusableKeys: SCRAMKeys? { nil }
}
