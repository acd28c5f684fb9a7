/// The registered name of a SASL mechanism (RFC 4422 §3.1): one to twenty capital letters, digits, `-` and `_`.
public struct SASLMechanismName: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The name as it stands on the wire.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// RFC 4422 appendix A: the client is who its TLS certificate says.
    public static let external = SASLMechanismName(rawValue: "EXTERNAL")
    /// RFC 4616: the password itself, so only inside TLS.
    public static let plain = SASLMechanismName(rawValue: "PLAIN")
    /// RFC 4505: no identity; the server makes one up.
    public static let anonymous = SASLMechanismName(rawValue: "ANONYMOUS")
    public static let scramSHA1 = scram(.sha1)
    public static let scramSHA256 = scram(.sha256)
    public static let scramSHA512 = scram(.sha512)
    public static let scramSHA1Plus = scram(.sha1, channelBound: true)
    public static let scramSHA256Plus = scram(.sha256, channelBound: true)
    public static let scramSHA512Plus = scram(.sha512, channelBound: true)

    /// SCRAM over `hash`, with the `-PLUS` of channel binding (RFC 5802 §4) or without.
    public static func scram(_ hash: SASLHash, channelBound: Bool = false) -> SASLMechanismName {
        SASLMechanismName(rawValue: "SCRAM-\(hash.rawValue)\(channelBound ? "-PLUS" : "")")
    }

    /// HT (draft-schmaus-kitten-sasl-ht) over `hash`, bound to the TLS connection in the given way or, for `nil`, not.
    public static func hashedToken(_ hash: SASLHash, binding: ChannelBinding.Kind?) -> SASLMechanismName {
        SASLMechanismName(rawValue: "HT-\(hash.rawValue)-\(suffix(of: binding))")
    }

    /// The ways to bind a token's login, best first; the last is not to bind it.
    static let tokenBindings: [ChannelBinding.Kind?] = ChannelBinding.Kind.allCases + [nil]

    private static func suffix(of binding: ChannelBinding.Kind?) -> String {
        switch binding {
        case .tlsExporter: "EXPR"
        case .tlsUnique: "UNIQ"
        case .tlsServerEndPoint: "ENDP"
        case nil: "NONE"
        }
    }

    /// What this module implements for passwords, certificates and guests, strongest first. The mechanisms for tokens
    /// are not among them: they are chosen when the token is asked for.
    ///
    ///
    /// A certificate never tells a secret, so it comes first. A bound exchange comes before an unbound one whatever
    /// the hash function, because the binding is what a man in the middle with a stolen certificate fails at.
    public static let byStrength: [SASLMechanismName] = [
        .external, .scramSHA512Plus, .scramSHA256Plus, .scramSHA1Plus, .scramSHA512, .scramSHA256, .scramSHA1, .plain,
        .anonymous,
    ]

    /// The hash function of a SCRAM mechanism, `nil` for any other.
    public var scramHash: SASLHash? {
        SASLHash.allCases.first { self == .scram($0) || self == .scram($0, channelBound: true) }
    }

    /// The hash function and the binding of a token's mechanism, `nil` for any other; `.some(nil)` as binding means none.
    public var hashedToken: (hash: SASLHash, binding: ChannelBinding.Kind?)? {
        for hash in SASLHash.allCases {
            for binding in Self.tokenBindings where self == .hashedToken(hash, binding: binding) {
                return (hash, binding)
            }
        }
        return nil
    }

    /// Whether the exchange is bound to the TLS connection.
    public var isChannelBound: Bool { rawValue.hasSuffix("-PLUS") || hashedToken?.binding != nil }

    public var description: String { rawValue }

    /// Whether the name keeps to the alphabet of RFC 4422 §3.1.
    static func isWellFormed(_ name: String) -> Bool {
        (1...20).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
