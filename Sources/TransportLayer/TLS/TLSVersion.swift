import COpenSSL

/// The versions of TLS that are spoken. Older ones are forbidden (RFC 8996).
public enum TLSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    case tls12
    case tls13

    public var description: String {
        switch self {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }

    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
