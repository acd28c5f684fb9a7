internal import ChatStore
internal import EndToEndEncryption
internal import XMPPAddress

/// Tells what will happen to a message, before it is sent.
struct EncryptionForecaster: Sendable {
    let context: EncryptionContext
    let audiences: Audiences
    let planner: SealingPlanner
    let discovery: KeyDiscovery
    let strangers: Strangers

    /// What happens to a text that is sent in a conversation now. Requests the devices of the recipients if they are
    /// not known, and records keys that were never seen, so that a notice about one comes once.
    ///
    /// - Parameter isSending: the person is writing now, so that a stranger's devices are requested as well.
    func forecast(
        for conversation: ConversationAddress, isSending: Bool
    ) async -> EncryptionForecast {
        var forecast = EncryptionForecast(.unknown, policy: context.settings.policy)
        do throws(ProtectionError) {
            let encryption = try await KeyDraft(context.memory).encryption(of: conversation)
            forecast.policy = encryption.policy ?? context.settings.policy
            forecast.isOwnPolicy = encryption.policy != nil
            forecast.wasEncrypted = encryption.wasEncrypted
            if forecast.policy == .never {
                forecast.outcome = .clear(.policy)
                return forecast
            }
            guard context.servers.isOnline else { return forecast }
            if !isSending, try await !mayRequestDevices(for: conversation) {
                forecast.outcome = .stranger
                return forecast
            }
            let audience = await audiences.examined(conversation)
            if case .success(let known) = audience {
                let new = await discovery.newKeys(in: known)
                if !new.isEmpty { await discovery.recordKeys(of: new, in: conversation) }
            }
            var draft = KeyDraft(context.memory)
            switch try await planner.plan(for: conversation, with: audience, isForLegacy: true, &draft) {
            case .clear(let reason): forecast.outcome = .clear(reason)
            case .sealed(_, let omitted): (forecast.outcome, forecast.unreadable) = (.encrypted, omitted)
            }
        } catch {
            forecast.unreadable = error.recipients
            guard context.servers.isOnline || !error.isTemporary else { return forecast }
            forecast.outcome = error.isTemporary ? .waits(error.code) : .refused(error.code)
        }
        return forecast
    }

    /// Not those of a stranger who has written first.
    private func mayRequestDevices(for conversation: ConversationAddress) async throws(ProtectionError) -> Bool {
        guard conversation.kind == .direct else { return true }
        let person = conversation.address.bare
        if try await strangers.isKnownPerson(person) { return true }
        let key = ConversationKey(account: context.account, address: person, kind: .direct)
        do throws(StoreError) {
            return try await context.store.read { reader throws(StoreError) in
                guard let id = try reader.conversation(key) else { return true }
                return try reader.timeline(of: id, .newest, limit: 1).isEmpty
            }
        } catch {
            throw ProtectionError(.ownKeys, "The conversation cannot be read.", isTemporary: true, cause: error)
        }
    }
}
