/// The registered name of a SASL mechanism (RFC 4422 §3.1): one to twenty capital letters, digits, `-` and `_`.
public struct SASLMechanismName: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The name on the wire.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// RFC 4422 appendix A: the TLS client certificate identifies the client.
    public static let external = SASLMechanismName(rawValue: "EXTERNAL")
    /// RFC 4616: sends the password itself, so only inside TLS.
    public static let plain = SASLMechanismName(rawValue: "PLAIN")
    /// RFC 4505: no identity; the server creates one.
    public static let anonymous = SASLMechanismName(rawValue: "ANONYMOUS")
    public static let scramSHA1 = scram(.sha1)
    public static let scramSHA256 = scram(.sha256)
    public static let scramSHA512 = scram(.sha512)
    public static let scramSHA1Plus = scram(.sha1, channelBound: true)
    public static let scramSHA256Plus = scram(.sha256, channelBound: true)
    public static let scramSHA512Plus = scram(.sha512, channelBound: true)

    /// SCRAM with `hash`, with or without the `-PLUS` of channel binding (RFC 5802 §4).
    public static func scram(_ hash: SASLHash, channelBound: Bool = false) -> SASLMechanismName {
        SASLMechanismName(rawValue: "SCRAM-\(hash.rawValue)\(channelBound ? "-PLUS" : "")")
    }

    /// HT (draft-schmaus-kitten-sasl-ht) with `hash` and the given channel binding; `nil` for none.
    public static func hashedToken(_ hash: SASLHash, binding: ChannelBinding.Kind?) -> SASLMechanismName {
        SASLMechanismName(rawValue: "HT-\(hash.rawValue)-\(suffix(of: binding))")
    }

    /// The channel bindings for a login with a token, best first; the last is no binding.
    static let tokenBindings: [ChannelBinding.Kind?] = ChannelBinding.Kind.allCases + [nil]

    private static func suffix(of binding: ChannelBinding.Kind?) -> String {
        switch binding {
        case .tlsExporter: "EXPR"
        case .tlsUnique: "UNIQ"
        case .tlsServerEndPoint: "ENDP"
        case nil: "NONE"
        }
    }

    /// The mechanisms of this module for passwords, certificates and anonymous logins, strongest first. Those for
    /// tokens are chosen separately, when the client asks for a token.
    ///
    ///
    /// EXTERNAL comes first because it never reveals a secret. A bound exchange comes before an unbound one with any
    /// hash function, because channel binding defeats a man in the middle with a stolen certificate.
    public static let byStrength: [SASLMechanismName] = [
        .external, .scramSHA512Plus, .scramSHA256Plus, .scramSHA1Plus, .scramSHA512, .scramSHA256, .scramSHA1, .plain,
        .anonymous,
    ]

    /// The hash function of a SCRAM mechanism; `nil` for any other.
    public var scramHash: SASLHash? {
        SASLHash.allCases.first { self == .scram($0) || self == .scram($0, channelBound: true) }
    }

    /// The hash function and binding of a token mechanism; `nil` for any other. `.some(nil)` as binding means none.
    public var hashedToken: (hash: SASLHash, binding: ChannelBinding.Kind?)? {
        for hash in SASLHash.allCases {
            for binding in Self.tokenBindings where self == .hashedToken(hash, binding: binding) {
                return (hash, binding)
            }
        }
        return nil
    }

    /// Whether the mechanism uses channel binding.
    public var isChannelBound: Bool { rawValue.hasSuffix("-PLUS") || hashedToken?.binding != nil }

    public var description: String { rawValue }

    /// Whether the name follows the grammar of RFC 4422 §3.1.
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
