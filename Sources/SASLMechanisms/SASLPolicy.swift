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
