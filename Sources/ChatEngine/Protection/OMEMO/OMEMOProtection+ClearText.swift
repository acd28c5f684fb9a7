public import ChatStore

/// What programs need that send for scripts.
extension OMEMOProtection {
    /// From now on nothing is sent in clear in a conversation, as after its first encrypted message; only a decision
    /// for ``EncryptionPolicy/never`` changes that.
    ///
    /// So a message that must be encrypted is safe from the moment it is queued, whatever servers answer later.
    public func endClearText(in conversation: ConversationAddress) async throws {
        try await change { (draft: inout KeyDraft) async throws(ProtectionError) in
            try await draft.noteEncrypted(Moment(conversation: conversation, time: self.now()))
        }
    }

    /// Whether a message that cannot be encrypted is refused in a conversation, and not sent in clear.
    public func refusesClearText(in conversation: ConversationAddress) async throws(ProtectionError) -> Bool {
        let known = try await KeyDraft(memory).encryption(of: conversation)
        return !known.allowsClear(settings.policy)
    }

    /// Returns when the keys of this device are published in this session, or could not be.
    public func waitUntilPublished() async { await published.wait() }
}
