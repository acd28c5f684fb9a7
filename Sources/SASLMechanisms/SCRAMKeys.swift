/// What a SCRAM client may store in place of the password (RFC 5802 §3): enough to log in to this account as long as
/// the server keeps salt and iteration count, useless elsewhere.
///
/// It gives access to the account, so it must be stored as securely as the password.
public struct SCRAMKeys: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The hash function the keys are for.
    public let hash: SASLHash
    /// The salt they were derived with.
    public let salt: [UInt8]
    /// The iteration count they were derived with.
    public let iterations: Int
    /// `HMAC(SaltedPassword, "Client Key")`.
    public let clientKey: [UInt8]
    /// `HMAC(SaltedPassword, "Server Key")`.
    public let serverKey: [UInt8]

    /// Creates keys from stored values.
    public init(hash: SASLHash, salt: [UInt8], iterations: Int, clientKey: [UInt8], serverKey: [UInt8]) {
        self.hash = hash
        self.salt = salt
        self.iterations = iterations
        self.clientKey = clientKey
        self.serverKey = serverKey
    }

    /// Derives the keys from a stored `SaltedPassword`.
    public init(saltedPassword: [UInt8], salt: [UInt8], iterations: Int, digest: SASLDigest) {
        self.init(
            hash: digest.hash, salt: salt, iterations: iterations,
            clientKey: digest.hmac(saltedPassword, Array("Client Key".utf8)),
            serverKey: digest.hmac(saltedPassword, Array("Server Key".utf8)))
    }

    /// Derives the keys from a prepared password, in time proportional to the iterations; `nil` if the library refuses
    /// the parameters.
    public init?(password: String, salt: [UInt8], iterations: Int, digest: SASLDigest) {
        guard let saltedPassword = digest.pbkdf2(Array(password.utf8), salt, iterations) else { return nil }
        self.init(saltedPassword: saltedPassword, salt: salt, iterations: iterations, digest: digest)
    }

    /// The hash function and the count, never the keys.
    public var description: String { "SCRAMKeys(\(hash.rawValue), \(iterations) iterations)" }

    public var debugDescription: String { description }

    /// Empty, so that `dump` does not reveal the keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
