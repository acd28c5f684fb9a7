public import ChatStore
internal import OMEMO
public import XMPPAddress

/// The user's decisions.
extension OMEMOProtection {
    /// The policy of a conversation: the user's decision for it, otherwise that of the account.
    public func policy(of conversation: ConversationAddress) async throws(ProtectionError) -> EncryptionPolicy {
        try await encryption(of: conversation, KeyDraft(memory)).policy ?? settings.policy
    }

    /// Decides for one conversation; `nil` leaves it to the account. A decision for ``EncryptionPolicy/never`` holds
    /// also where messages were encrypted before.
    public func setPolicy(
        _ policy: EncryptionPolicy?, of conversation: ConversationAddress
    ) async throws {
        try await change { (draft: inout KeyDraft) async throws(ProtectionError) in
            var known = try await self.encryption(of: conversation, draft)
            known.policy = policy
            draft.write(ConversationEncryption.name(conversation), known.record)
        }
    }

    /// Sets the trust in a key of an account; does nothing for a key that was never seen at that account.
    ///
    /// - Parameter fingerprint: as in ``PeerKey/fingerprint``.
    public func setTrust(_ trust: DeviceTrust, of fingerprint: String, at address: JID) async throws {
        try await change { (draft: inout KeyDraft) async throws(ProtectionError) in
            let name = KnownKey.name(fingerprint, of: address.bare)
            guard let record = try await draft.value(name) else { return }
            var known = try KnownKey(record)
            known.trust = trust
            draft.write(name, known.record)
        }
    }
}
