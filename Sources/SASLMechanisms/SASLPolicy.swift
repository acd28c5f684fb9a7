/// Which mechanisms a program is willing to use.
public struct SASLPolicy: Sendable, Hashable {
    /// The mechanisms that may be used at all. PLAIN is not among the default ones: with it nothing but the
    /// certificate check stands between the password and whoever answers.
    public var allowedMechanisms: Set<SASLMechanismName>
    /// Whether an exchange that is not bound to the TLS connection is refused. EXTERNAL is bound by its nature.
    public var requiresChannelBinding: Bool
    /// Whether tokens may be used that are not bound to the TLS connection. Whoever gets to see one such login can repeat
    /// it (XEP-0484 §6), so the default is not to.
    public var allowsUnboundTokens = false
    /// The iteration counts that SCRAM accepts.
    public var scramIterations: ClosedRange<Int>
    /// The mechanism of this account's last login. Once it was SCRAM or EXTERNAL, PLAIN is refused for ever: a forged
    /// list of mechanisms is how a password would be taken (XEP-0474 §6). Once it was bound to its TLS connection, an unbound
    /// one is refused where binding is possible. What else is forged on the list is
    /// found by channel binding and by the server's signature over it.
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

    /// Every mechanism of this module but PLAIN.
    public static let withoutPlain = Set(SASLMechanismName.byStrength).subtracting([.plain])

    /// Every mechanism of this module.
    public static let all = Set(SASLMechanismName.byStrength)
}

/// What the connection gives for logging in.
public enum SASLConnectionSecurity: Sendable, Hashable {
    /// Nothing is encrypted.
    case clear
    /// TLS 1.2 with the bindings it can give.
    case tls12(bindings: [ChannelBinding])
    /// TLS 1.3 with the bindings it can give.
    case tls13(bindings: [ChannelBinding])

    /// Whether TLS is up.
    public var isEncrypted: Bool { self != .clear }

    /// The bindings that may be used: tls-unique is not defined for TLS 1.3 (RFC 9266 §1), so there it is left out
    /// whatever the transport says.
    public var bindings: [ChannelBinding] {
        switch self {
        case .clear: []
        case .tls12(let bindings): bindings
        case .tls13(let bindings): bindings.filter { $0.kind != .tlsUnique }
        }
    }

    /// The kinds of binding that the version of TLS defines (RFC 5929, RFC 9266 §3), whether this connection gives them or not.
    var definedKinds: [ChannelBinding.Kind] {
        switch self {
        case .clear: []
        case .tls12: [.tlsExporter, .tlsUnique, .tlsServerEndPoint]
        case .tls13: [.tlsExporter, .tlsServerEndPoint]
        }
    }

    /// The version of TLS as SCRAM servers name it (XEP-0515 §5.1).
    var scramVersion: String? {
        switch self {
        case .clear: nil
        case .tls12: "0303"
        case .tls13: "0304"
        }
    }
}
