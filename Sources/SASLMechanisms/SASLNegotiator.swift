/// The selected mechanism and its channel binding.
public struct SASLSelection: Sendable, Hashable {
    /// The mechanism.
    public let mechanism: SASLMechanismName
    /// What SCRAM states about channel binding; `unsupported` for mechanisms without a GS2 header.
    public let channelBinding: GS2ChannelBinding

    public init(mechanism: SASLMechanismName, channelBinding: GS2ChannelBinding = .unsupported) {
        self.mechanism = mechanism
        self.channelBinding = channelBinding
    }
}

/// Selects the strongest mechanism that a server offers (RFC 6120 §6.3.3) and creates its client side.
///
/// Channel binding follows these rules:
///
/// * If the server lists its kinds (XEP-0440), the best common one is used: tls-exporter, then tls-unique, then
///   tls-server-end-point.
/// * If it does not, TLS 1.2 uses tls-unique, the default of RFC 5802 §6. TLS 1.3 uses none, because servers without
///   the list disagree there (ejabberd 23 accepts only its Finished message).
/// * If a server offers `-PLUS` and its list has no kind that is defined for this version of TLS, or if it sends no
///   list over XEP-0388, no unbound exchange takes place: the list was forged (XEP-0440 §4). If a kind would work on
///   another connection, such as tls-unique on one that does not resume a TLS session, the flag is `n`.
/// * If a server offers no `-PLUS`, a client that supports channel binding sends `y`, so that the server notices a list
///   from which these names were removed.
/// * After an account has once used channel binding, an unbound exchange is refused where binding is possible.
/// * After a bound exchange failed, no unbound one is tried: a man in the middle can only make the bound one fail.
public struct SASLNegotiator: Sendable {
    /// The mechanisms that may be used.
    public let policy: SASLPolicy
    /// The properties of the connection.
    public let security: SASLConnectionSecurity
    private let digests: SASLDigests

    public init(policy: SASLPolicy = SASLPolicy(), security: SASLConnectionSecurity, digests: SASLDigests) {
        self.policy = policy
        self.security = security
        self.digests = digests
    }

    func digest(_ hash: SASLHash) -> SASLDigest? { digests[hash] }

    /// The strongest mechanism of `offer` for these `credentials`, except those `tried` on this connection. Throws
    /// ``SASLError/Code/noUsableMechanism(_:)`` with the whole list if there is none.
    public func select(
        from offer: SASLOffer, for credentials: SASLCredentials, tried: Set<SASLMechanismName> = []
    ) throws(SASLError) -> SASLSelection {
        let binding = commonBinding(with: offer)
        let offered = Set(offer.mechanisms)
        for mechanism in SASLMechanismName.byStrength where offered.contains(mechanism.rawValue) {
            let refusal = refusal(of: mechanism, for: credentials, binding: binding, offer: offer, tried: tried)
            guard refusal == nil else { continue }
            return SASLSelection(mechanism: mechanism, channelBinding: flag(of: mechanism, binding, offer))
        }
        throw SASLError(
            .noUsableMechanism(
                offer.mechanisms.map { name in
                    let mechanism = SASLMechanismName(rawValue: name)
                    let reason = refusal(of: mechanism, for: credentials, binding: binding, offer: offer, tried: tried)
                    return SASLRefusal(mechanism: name, reason: reason ?? .unknown)
                }))
    }

    /// Creates the client side of a mechanism that ``select(from:for:tried:)`` selected.
    ///
    /// `nonce` must be new for each exchange: printable ASCII without a comma, for example the base64 of 18 random
    /// bytes. `offer` is the one passed to the selection; SCRAM compares it with what the server signs (XEP-0474).
    public func makeClient(
        for selection: SASLSelection, credentials: SASLCredentials, nonce: String, offer: SASLOffer
    ) throws(SASLError) -> any SASLClientMechanism {
        if let hash = selection.mechanism.scramHash, let digest = digests[hash] {
            return SCRAMClient(
                credentials: credentials, digest: digest, channelBinding: selection.channelBinding, nonce: nonce,
                iterations: policy.scramIterations, offer: offer, tlsVersion: security.scramVersion)
        }
        switch selection.mechanism {
        case .external: return ExternalClient(authorizationID: credentials.authorizationID)
        case .plain where security.isEncrypted: return PlainClient(credentials: credentials)
        case .anonymous: return AnonymousClient()
        default:
            let reason: SASLRefusal.Reason = selection.mechanism == .plain ? .connectionNotEncrypted : .unknown
            let refusal = SASLRefusal(mechanism: selection.mechanism.rawValue, reason: reason)
            throw SASLError(.noUsableMechanism([refusal]))
        }
    }

    // MARK: Rules

    private func refusal(
        of mechanism: SASLMechanismName, for credentials: SASLCredentials, binding: ChannelBinding?,
        offer: SASLOffer, tried: Set<SASLMechanismName>
    ) -> SASLRefusal.Reason? {
        guard SASLMechanismName.byStrength.contains(mechanism) else { return .unknown }
        if let hash = mechanism.scramHash, digests[hash] == nil { return .unknown }
        if mechanism == .plain, let previous = policy.previousMechanism {
            guard previous.scramHash == nil, previous != .external else { return .weakerThanBefore }
        }
        guard policy.allowedMechanisms.contains(mechanism) else { return .notAllowed }
        if mechanism == .plain || mechanism == .external {
            guard security.isEncrypted else { return .connectionNotEncrypted }
        }
        guard holds(credentials, proofFor: mechanism) else { return .credentialsMissing }
        guard !tried.contains(mechanism) else { return .alreadyTried }
        if mechanism.isChannelBound {
            guard binding != nil else { return .noCommonChannelBinding }
        } else if mechanism != .external {
            let hasFailedBound = tried.contains { $0.isChannelBound }
            guard !policy.requiresChannelBinding, !hasFailedBound, !isBindingWithheld(offer) else {
                return .notChannelBound
            }
            guard !isDowngrade else { return .weakerThanBefore }
        }
        return nil
    }

    /// Whether the server binds but offers no kind that the client knows, which indicates a manipulated list.
    private func isBindingWithheld(_ offer: SASLOffer) -> Bool {
        guard canBind, offer.offersChannelBinding else { return false }
        guard let listed = offer.channelBindings else { return offer.mustListChannelBindings }
        return !security.definedKinds.contains { listed.contains($0.rawValue) }
    }

    /// Whether the last login used channel binding and this one could too.
    private var isDowngrade: Bool {
        guard policy.previousMechanism?.isChannelBound == true else { return false }
        switch security {
        case .clear: return true
        // A connection that resumes a TLS session has no tls-unique, which servers without XEP-0440 expect.
        case .tls12: return security.bindings.contains { $0.kind == .tlsUnique }
        case .tls13: return true
        }
    }

    private func holds(_ credentials: SASLCredentials, proofFor mechanism: SASLMechanismName) -> Bool {
        if let hash = mechanism.scramHash {
            return credentials.password != nil || credentials.scramKeys.contains { $0.hash == hash }
        }
        switch mechanism {
        case .plain: return credentials.password != nil
        case .external: return credentials.presentsCertificate
        case .anonymous: return credentials.isAnonymous
        default: return false
        }
    }

    private func commonBinding(with offer: SASLOffer) -> ChannelBinding? {
        let bindings = security.bindings
        let kinds: [ChannelBinding.Kind]
        if let listed = offer.channelBindings {
            kinds = ChannelBinding.Kind.allCases.filter { listed.contains($0.rawValue) }
        } else if case .tls12 = security {
            kinds = [.tlsUnique]
        } else {
            kinds = []
        }
        for kind in kinds {
            if let binding = bindings.first(where: { $0.kind == kind }) { return binding }
        }
        return nil
    }

    private func flag(
        of mechanism: SASLMechanismName, _ binding: ChannelBinding?, _ offer: SASLOffer
    ) -> GS2ChannelBinding {
        guard mechanism.scramHash != nil else { return .unsupported }
        if mechanism.isChannelBound, let binding { return .bound(binding) }
        return canBind && !offer.offersChannelBinding ? .notOffered : .unsupported
    }

    /// Whether this client would use a `-PLUS` mechanism if the server offered one.
    private var canBind: Bool {
        !security.bindings.isEmpty
            && SASLHash.allCases.contains {
                digests[$0] != nil && policy.allowedMechanisms.contains(.scram($0, channelBound: true))
            }
    }
}

extension SASLNegotiator {
    /// The best mechanism to request a token for (XEP-0484 §3.2): with the best common channel binding, if there is
    /// one, and the strongest hash function; `nil` if none of those `offered` can be used.
    public func tokenMechanism(from offered: [String]) -> SASLMechanismName? {
        for binding in SASLMechanismName.tokenBindings {
            for hash in SASLHash.allCases.reversed() {
                let mechanism = SASLMechanismName.hashedToken(hash, binding: binding)
                if offered.contains(mechanism.rawValue), canUseToken(for: mechanism) { return mechanism }
            }
        }
        return nil
    }

    /// Whether a token issued for `mechanism` can be used on this connection.
    public func canUseToken(for mechanism: SASLMechanismName) -> Bool {
        guard security.isEncrypted, let (hash, kind) = mechanism.hashedToken, digest(hash) != nil else { return false }
        guard let kind else { return policy.allowsUnboundTokens && !policy.requiresChannelBinding }
        return security.bindings.contains { $0.kind == kind }
    }

    /// Creates the client side of a login with a token; `nil` if ``canUseToken(for:)`` is false.
    public func makeTokenClient(
        for mechanism: SASLMechanismName, username: String, token: String
    ) -> HashedTokenClient? {
        guard canUseToken(for: mechanism), let (hash, kind) = mechanism.hashedToken, let digest = digest(hash) else {
            return nil
        }
        let binding = security.bindings.first { $0.kind == kind }
        return HashedTokenClient(username: username, token: token, digest: digest, binding: binding)
    }
}
