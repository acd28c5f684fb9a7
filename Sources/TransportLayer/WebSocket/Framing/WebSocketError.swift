/// Why a WebSocket connection had to end: the peer broke a rule of RFC 6455.
public struct WebSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, by the status code that the peer is told (RFC 6455 §7.4.1).
    public enum Code: UInt16, Sendable, Hashable {
        /// A frame that must not be.
        case protocolViolation = 1002
        /// Binary data; XMPP has text only (RFC 7395 §3.3).
        case unsupportedData = 1003
        /// Text that is not UTF-8.
        case invalidText = 1007
    }

    public var code: Code

    /// What was wrong, as a sentence for a person.
    public var description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
