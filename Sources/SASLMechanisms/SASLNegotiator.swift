/// The mechanism that was picked, and how it is bound.
public struct SASLSelection: Sendable, Hashable {
    /// The mechanism.
    public let mechanism: SASLMechanismName
    /// What SCRAM says about channel binding; `unsupported` for mechanisms without a GS2 header.
    public let channelBinding: GS2ChannelBinding

    public init(mechanism: SASLMechanismName, channelBinding: GS2ChannelBinding = .unsupported) {
        self.mechanism = mechanism
        self.channelBinding = channelBinding
    }
}

/// Picks the strongest mechanism of a server's offer (RFC 6120 §6.3.3) and makes the client's side of it.
///
/// Channel binding follows these rules:
///
/// * Where the server lists its kinds (XEP-0440), the best one that both ends have is used: tls-exporter, then
///   tls-unique, then tls-server-end-point.
/// * Where it does not, TLS 1.2 is bound by tls-unique, which RFC 5802 §6 makes the one to expect; TLS 1.3 is not
///   bound, because servers without the list disagree there (ejabberd 23 takes its Finished message alone).
/// * A server that offers `-PLUS` with a list of kinds of which none is defined for this version of TLS, or over XEP-0388
///   without a list, gets no unbound exchange: the list was forged (XEP-0440 §4). Where a kind could be used on another
///   connection, such as tls-unique on one that does not resume a TLS session, it gets the flag `n`.
/// * A server that offers no `-PLUS` gets `y` from a client that could, so that a list with these names cut out is noticed.
/// * Once an account was authenticated with channel binding, an unbound exchange is refused where binding is possible.
/// * After a bound exchange failed, an unbound one is not tried: to make it fail is all that a man in the middle could do.
public struct SASLNegotiator: Sendable {
    /// What may be used.
    public let policy: SASLPolicy
    /// What the connection gives.
    public let security: SASLConnectionSecurity
    private let digests: SASLDigests

    public init(policy: SASLPolicy = SASLPolicy(), security: SASLConnectionSecurity, digests: SASLDigests) {
        self.policy = policy
        self.security = security
        self.digests = digests
    }

    func digest(_ hash: SASLHash) -> SASLDigest? { digests[hash] }

    /// The strongest mechanism of `offer` that `credentials` serve, without those that were `tried` on this
    /// connection. Throws ``SASLError/Code/noUsableMechanism(_:)`` with the whole list where there is none.
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

    /// The client's side of what ``select(from:for:tried:)`` picked.
    ///
    /// `nonce` is new for each exchange: printable ASCII without a comma, for instance the base64 of 18 random bytes.
    /// `offer` is the same as in the selection; SCRAM compares it with what the server signs (XEP-0474).
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

    /// Whether somebody has seen to it that the client finds no kind of binding that it knows, although the server binds.
    private func isBindingWithheld(_ offer: SASLOffer) -> Bool {
        guard canBind, offer.offersChannelBinding else { return false }
        guard let listed = offer.channelBindings else { return offer.mustListChannelBindings }
        return !security.definedKinds.contains { listed.contains($0.rawValue) }
    }

    /// Whether the last login was bound to its connection, and this one could be, too.
    private var isDowngrade: Bool {
        guard policy.previousMechanism?.isChannelBound == true else { return false }
        switch security {
        case .clear: return true
        // A connection that resumes a TLS session has no tls-unique, and servers without XEP-0440 expect that one.
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
