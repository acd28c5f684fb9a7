public import XMPPClient

/// Why a profile could not be read or changed.
public struct ProfileError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The picture exceeds the limit.
        case tooLarge = "too large"
        /// The picture does not have the announced hash.
        case wrongHash = "wrong hash"
        /// The session or the peer failed; see ``ProfileError/cause``.
        case refused

        public var description: String { rawValue }
    }

    public let code: Code
    /// What happened, in English.
    public let description: String
    public let cause: ClientError?

    public init(_ code: Code, _ description: String, cause: ClientError? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    init(_ error: ClientError) {
        self.init(.refused, error.description, cause: error)
    }

    static func tooLarge(_ size: Int, limit: Int) -> ProfileError {
        ProfileError(.tooLarge, "The picture has \(size) bytes; the limit is \(limit).")
    }
}
