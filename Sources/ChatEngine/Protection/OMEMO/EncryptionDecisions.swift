internal import ChatStore
internal import OMEMO
internal import XMPPAddress

/// The user's decisions about conversations and keys.
struct EncryptionDecisions: Sendable {
    let context: EncryptionContext
    let bundles: FetchedBundles

    /// Decides for one conversation; `nil` leaves it to the account. A decision for ``EncryptionPolicy/never`` holds
    /// also where messages were encrypted before. Any decision answers the other account's request for clear text.
    func setPolicy(
        _ policy: EncryptionPolicy?, of conversation: ConversationAddress
    ) async throws {
        try await context.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            var known = try await draft.encryption(of: conversation)
            let standard = context.settings.policy
            let (before, after) = (known.policy ?? standard, policy ?? standard)
            known.policy = policy
            known.optOut = nil
            if known.wasEncrypted, (before == .never) != (after == .never) {
                draft.note(ConversationNotice(after == .never ? .ended : .began, in: conversation, at: context.now()))
            }
            draft.write(ConversationEncryption.name(conversation), known.record)
        }
    }

    /// Sets the trust in a key of an account; does nothing for a key that was never seen at that account.
    ///
    /// - Parameter fingerprint: as in ``EncryptionDevice/fingerprint``.
    func setTrust(_ trust: DeviceTrust, of fingerprint: String, at address: JID) async throws {
        try await context.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            let name = KnownKey.name(fingerprint, of: address.bare)
            guard let record = try await draft.value(name) else { return }
            var known = try KnownKey(record)
            known.trust = trust
            draft.write(known, fingerprint, of: address.bare)
        }
    }

    /// Forgets a key of an account, the trust in it and the sessions with it. A message of that device or to it makes
    /// the key a new one.
    func forget(_ fingerprint: String, at address: JID) async throws {
        let address = address.bare
        try await context.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.removeKey(fingerprint, of: address)
            for (name, record) in try await draft.sessions(of: address) {
                var shelf = try SessionShelf(record)
                let count = shelf.sessions.count + shelf.retired.count
                shelf.removeSessions(with: fingerprint)
                guard shelf.sessions.count + shelf.retired.count != count else { continue }
                draft.write(name, shelf.isEmpty ? nil : shelf.record)
            }
        }
        bundles.forget(address)
    }

    /// Removes a device from our own account's lists on the server, with its published keys: others stop encrypting for
    /// it. Another program that still uses it may announce it again. This device itself is announced again at the next
    /// connection.
    ///
    /// - Throws: `ProtectionError` with `unreachable` while offline, or `publishingRefused`.
    func removeDevice(_ device: UInt32) async throws(ProtectionError) {
        guard let directory = context.servers.directory else {
            throw ProtectionError(.unreachable, "The account is offline.", isTemporary: true)
        }
        guard let device = OMEMODevice(device) else { return }
        try await directory.withdraw(device)
    }

    /// Publishes the keys of this device again and announces it, as soon as the account is online; for a list that
    /// another program has damaged. A failure is reported as ``AccountProblem/session(_:)``.
    func announceAgain() {
        context.ownDevice.announceAgain()
        context.work.send()
    }
}
