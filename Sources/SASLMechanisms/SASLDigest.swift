/// The three operations SCRAM needs of one hash function (RFC 5802 §2.2), given from outside.
///
/// The mechanisms contain no cryptography of their own, so that they build wherever Swift does and a program picks
/// the library. The closures must be pure: same bytes in, same bytes out.
public struct SASLDigest: Sendable {
    /// The hash function that the operations use.
    public let hash: SASLHash
    /// `H(str)`: the hash value.
    public let hashValue: @Sendable (_ bytes: [UInt8]) -> [UInt8]
    /// `HMAC(key, str)`.
    public let hmac: @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]
    /// `Hi(str, salt, i)`: PBKDF2 with one hash value's length, or `nil` where the library refuses the parameters.
    /// It costs time in proportion to `iterations`, which the mechanism has bounded before.
    public let pbkdf2: @Sendable (_ password: [UInt8], _ salt: [UInt8], _ iterations: Int) -> [UInt8]?

    /// Gathers the operations of one hash function.
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

/// The hash functions a program can compute: SCRAM is negotiated over no other.
public struct SASLDigests: Sendable {
    private let digests: [SASLHash: SASLDigest]

    /// The given digests; of two over the same hash function the last counts.
    public init(_ digests: [SASLDigest]) {
        self.digests = Dictionary(digests.map { ($0.hash, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// No digests: everything but SCRAM.
    public static let none = SASLDigests([])

    /// The operations over `hash`, or `nil` where the program has none.
    public subscript(_ hash: SASLHash) -> SASLDigest? { digests[hash] }
}
