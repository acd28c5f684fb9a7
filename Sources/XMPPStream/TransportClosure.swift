/// Why a transport ended, in the words of the one who drives it.
public struct TransportClosure: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The peer ended the connection.
        case endOfStream
        /// The name of the server could not be resolved.
        case unresolved
        /// No address accepted a connection.
        case unreachable
        /// The connection broke.
        case broken
        /// The TLS handshake failed.
        case tlsFailed
        /// The server's certificate was not accepted.
        case certificateRejected
        /// A setting of ours cannot be used, such as a file that cannot be read: nothing was tried.
        case misconfigured
    }

    public let kind: Kind

    /// A sentence of detail for people, such as the name that did not match.
    public let detail: String?

    public init(_ kind: Kind, detail: String? = nil) {
        self.kind = kind
        self.detail = detail
    }

    public static let endOfStream = TransportClosure(.endOfStream)
}
