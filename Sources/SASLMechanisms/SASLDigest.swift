/// The three operations that SCRAM needs of one hash function (RFC 5802 §2.2), injected by the program.
///
/// The mechanisms contain no cryptography, so they compile wherever Swift does and the program chooses the library. The
/// closures must be pure functions.
public struct SASLDigest: Sendable {
    /// The hash function that the operations use.
    public let hash: SASLHash
    /// `H(str)`: the hash value.
    public let hashValue: @Sendable (_ bytes: [UInt8]) -> [UInt8]
    /// `HMAC(key, str)`.
    public let hmac: @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]
    /// `Hi(str, salt, i)`: PBKDF2 with the length of one hash value, or `nil` if the library refuses the parameters.
    /// Its time is proportional to `iterations`, which the mechanism has limited before.
    public let pbkdf2: @Sendable (_ password: [UInt8], _ salt: [UInt8], _ iterations: Int) -> [UInt8]?

    /// Creates the operations of one hash function.
    public init(
        _ hash: SASLHash,
        hashValue: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8],
        hmac: @escaping @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8],
        pbkdf2: @escaping @Sendable (_ password: [UInt8], _ salt: [UInt8], _ iterations: Int) -> [UInt8]?
    ) {
        self.hash = hash
        self.hashValue = hashValue
        self.hmac = hmac
        self.pbkdf2 = pbkdf2
    }
}

/// The hash functions that a program can compute: SCRAM is negotiated only with these.
public struct SASLDigests: Sendable {
    private let digests: [SASLHash: SASLDigest]

    /// Creates a set of digests; of two with the same hash function the last one counts.
    public init(_ digests: [SASLDigest]) {
        self.digests = Dictionary(digests.map { ($0.hash, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// No digests: every mechanism except SCRAM.
    public static let none = SASLDigests([])

    /// The operations of `hash`, or `nil` if the program has none.
    public subscript(_ hash: SASLHash) -> SASLDigest? { digests[hash] }
}

/// A hash function that SCRAM is defined with; the raw value is its name inside the mechanism's name.
///
/// SHA-1 is RFC 5802, SHA-256 is RFC 7677, SHA-512 is in use without an RFC. The order is that of strength.
public enum SASLHash: String, Sendable, Hashable, CaseIterable, Comparable {
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"
    case sha512 = "SHA-512"

    /// The length of a hash value, in bytes.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    public static func < (one: SASLHash, other: SASLHash) -> Bool { one.byteCount < other.byteCount }
}
