extension SASLNegotiator {
    /// The best mechanism for which to ask for a token (XEP-0484 §3.2): a bound one if both ends can, by the best binding,
    /// over the strongest hash function; `nil` where nothing that is `offered` will do.
    public func tokenMechanism(from offered: [String]) -> SASLMechanismName? {
        for binding in SASLMechanismName.tokenBindings {
            for hash in SASLHash.allCases.reversed() {
                let mechanism = SASLMechanismName.hashedToken(hash, binding: binding)
                if offered.contains(mechanism.rawValue), canUseToken(for: mechanism) { return mechanism }
            }
        }
        return nil
    }

    /// Whether a token that was issued for `mechanism` can be used on this connection.
    public func canUseToken(for mechanism: SASLMechanismName) -> Bool {
        guard security.isEncrypted, let (hash, kind) = mechanism.hashedToken, digest(hash) != nil else { return false }
        guard let kind else { return policy.allowsUnboundTokens && !policy.requiresChannelBinding }
        return security.bindings.contains { $0.kind == kind }
    }

    /// The client's side of a login with a token, or `nil` where ``canUseToken(for:)`` says no.
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
