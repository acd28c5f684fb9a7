/// A hash function that SCRAM is defined over; the raw value is its name inside the mechanism's name.
///
/// SHA-1 is RFC 5802, SHA-256 is RFC 7677, SHA-512 is in use without an RFC. The order is the order of strength.
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
