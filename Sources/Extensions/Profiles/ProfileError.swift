public import XMPPClient

/// Why a profile could not be read or changed.
public struct ProfileError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }

        /// The picture exceeds the limit.
        public static let tooLarge = Self("too large")
        /// The picture does not have the announced hash.
        public static let wrongHash = Self("wrong hash")
        /// The session or the peer failed; see ``ProfileError/cause``.
        public static let refused = Self("refused")
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
