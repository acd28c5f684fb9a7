/// Which mechanisms a program may use.
public struct SASLPolicy: Sendable, Hashable {
    /// The mechanisms that may be used at all. PLAIN is not allowed by default: with it, only the certificate check
    /// protects the password from an impostor.
    public var allowedMechanisms: Set<SASLMechanismName>
    /// Whether exchanges without channel binding are refused. EXTERNAL is bound inherently.
    public var requiresChannelBinding: Bool
    /// Whether tokens without channel binding may be used. Anyone who observes one such login can repeat it (XEP-0484
    /// §6), so they are not allowed by default.
    public var allowsUnboundTokens = false
    /// The iteration counts that SCRAM accepts.
    public var scramIterations: ClosedRange<Int>
    /// The mechanism of this account's last login. After SCRAM or EXTERNAL, PLAIN is permanently refused: a forged list
    /// of mechanisms could otherwise obtain the password (XEP-0474 §6). After a login with channel binding, an unbound
    /// one is refused where binding is possible. Channel binding and the server's signature over the list reveal other
    /// forgeries.
    public var previousMechanism: SASLMechanismName?

    public init(
        allowedMechanisms: Set<SASLMechanismName> = SASLPolicy.withoutPlain, requiresChannelBinding: Bool = false,
        scramIterations: ClosedRange<Int> = SCRAMLimits.iterations, previousMechanism: SASLMechanismName? = nil
    ) {
        self.allowedMechanisms = allowedMechanisms
        self.requiresChannelBinding = requiresChannelBinding
        self.scramIterations = scramIterations
        self.previousMechanism = previousMechanism
    }

    /// Every mechanism of this module except PLAIN.
    public static let withoutPlain = Set(SASLMechanismName.byStrength).subtracting([.plain])

    /// Every mechanism of this module.
    public static let all = Set(SASLMechanismName.byStrength)
}

/// The properties of the connection that matter for a login.
public enum SASLConnectionSecurity: Sendable, Hashable {
    /// Not encrypted.
    case clear
    /// TLS 1.2 with its available bindings.
    case tls12(bindings: [ChannelBinding])
    /// TLS 1.3 with its available bindings.
    case tls13(bindings: [ChannelBinding])

    /// Whether TLS is active.
    public var isEncrypted: Bool { self != .clear }

    /// The bindings that may be used. tls-unique is undefined for TLS 1.3 (RFC 9266 §1), so it is omitted there even if
    /// the transport provides it.
    public var bindings: [ChannelBinding] {
        switch self {
        case .clear: []
        case .tls12(let bindings): bindings
        case .tls13(let bindings): bindings.filter { $0.kind != .tlsUnique }
        }
    }

    /// The kinds of binding that this version of TLS defines (RFC 5929, RFC 9266 §3), available on this connection or
    /// not.
    var definedKinds: [ChannelBinding.Kind] {
        switch self {
        case .clear: []
        case .tls12: [.tlsExporter, .tlsUnique, .tlsServerEndPoint]
        case .tls13: [.tlsExporter, .tlsServerEndPoint]
        }
    }

    /// The version of TLS in the notation of SCRAM servers (XEP-0515 §5.1).
    var scramVersion: String? {
        switch self {
        case .clear: nil
        case .tls12: "0303"
        case .tls13: "0304"
        }
    }
}

/// What a server offers for a login, exactly as in the stream features.
public struct SASLOffer: Sendable, Hashable {
    /// The names of the mechanisms (RFC 6120 §6.4.1, or XEP-0388 for SASL2), known and unknown.
    public var mechanisms: [String]
    /// The kinds of channel binding (XEP-0440); `nil` if the server does not list them.
    public var channelBindings: [String]?

    /// Whether a server that offers channel binding must list the kinds. It must in XEP-0388, where a missing list
    /// means that someone removed it (XEP-0440 §4).
    public var mustListChannelBindings: Bool

    public init(mechanisms: [String], channelBindings: [String]? = nil, mustListChannelBindings: Bool = false) {
        self.mechanisms = mechanisms
        self.channelBindings = channelBindings
        self.mustListChannelBindings = mustListChannelBindings
    }

    /// Whether any mechanism uses channel binding.
    var offersChannelBinding: Bool { mechanisms.contains { $0.hasSuffix("-PLUS") } }

    /// The bytes that are hashed for XEP-0474 §5.1.
    ///
    /// `nil` for the printable format if a name is malformed: with a comma in a name, two different lists could look
    /// the same. XML cannot contain the control characters of the other format.
    package func signedBytes(_ spelling: SCRAMOfferSpelling) -> [UInt8]? {
        if spelling == .printable {
            guard mechanisms.allSatisfy(SASLMechanismName.isWellFormed),
                (channelBindings ?? []).allSatisfy({ !$0.contains(",") && !$0.contains("|") })
            else { return nil }
        }
        func list(_ names: [String]) -> [UInt8] {
            let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            return Array(sorted.joined(separator: [spelling.betweenNames]))
        }
        guard let channelBindings else { return list(mechanisms) }
        return list(mechanisms) + [spelling.betweenLists] + list(channelBindings)
    }
}

/// The two formats in which servers sign their offer (XEP-0474).
package enum SCRAMOfferSpelling: CaseIterable {
    /// Version 0.4 and later: `h=`, with U+001E and U+001F between the names.
    case control
    /// Version 0.3, which servers of 2024 use: `d=`, with commas and a bar.
    case printable

    var attribute: Unicode.Scalar { self == .control ? "h" : "d" }
    var betweenNames: UInt8 { self == .control ? 0x1E : UInt8(ascii: ",") }
    var betweenLists: UInt8 { self == .control ? 0x1F : UInt8(ascii: "|") }
}
