public import ChatStore
internal import EndToEndEncryption
public import XMPPAddress

/// What happens to a message that is sent in a conversation now.
public struct EncryptionForecast: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        /// The servers on the way can read it.
        case clear(ClearReason)
        case encrypted
        /// It is not sent: it must not go in clear, and no device of a recipient could decrypt it.
        case refused(ProtectionError.Code)
        /// It waits until the devices of the recipients are known, for example because a server does not answer.
        case waits(ProtectionError.Code)
        /// The devices of the recipients are not requested while this device is offline.
        case unknown
        /// The devices of a stranger are requested only when the person writes: a request tells that the conversation
        /// was opened.
        case stranger
    }

    /// Why a message is sent in clear.
    public enum ClearReason: Sendable, Hashable {
        /// The policy of the conversation or the account.
        case policy
        /// These accounts announce no device, and nothing was encrypted in the conversation before.
        case noDevice([JID])
        /// The room does not allow it: for example `anonymous-room`, `public-room` or `private-room-message`.
        case room(ProtectionError.Code)
        /// The account has no encryption.
        case withoutEncryption
    }

    public var outcome: Outcome
    /// The policy that applies to the conversation.
    public var policy: EncryptionPolicy
    /// The policy was decided for this conversation, and is not that of the account.
    public var isOwnPolicy: Bool
    /// Messages in the conversation were encrypted before: with `whenPossible` nothing is sent in clear any more.
    public var wasEncrypted: Bool
    /// The devices, or accounts without any, that will not be able to decrypt the message, each with its reason; also
    /// devices of our own account.
    public var unreadable: [ProtectionError.Recipient]

    public init(
        _ outcome: Outcome, policy: EncryptionPolicy, isOwnPolicy: Bool = false, wasEncrypted: Bool = false,
        unreadable: [ProtectionError.Recipient] = []
    ) {
        self.outcome = outcome
        self.policy = policy
        self.isOwnPolicy = isOwnPolicy
        self.wasEncrypted = wasEncrypted
        self.unreadable = unreadable
    }
}

extension OMEMOProtection {
    /// What happens to a text in a conversation that the person looks at.
    public func forecast(for conversation: ConversationAddress) async -> EncryptionForecast {
        await forecast(for: conversation, isSending: false)
    }

    /// What happens to a text that is sent in a conversation now. Requests the devices of the recipients if they are
    /// not known, and records keys that were never seen, so that a notice about one comes once.
    ///
    /// - Parameter isSending: the person is writing now, so that a stranger's devices are requested as well.
    public func forecast(
        for conversation: ConversationAddress, isSending: Bool
    ) async -> EncryptionForecast {
        var forecast = EncryptionForecast(.unknown, policy: settings.policy)
        do throws(ProtectionError) {
            let encryption = try await KeyDraft(memory).encryption(of: conversation)
            forecast.policy = encryption.policy ?? settings.policy
            forecast.isOwnPolicy = encryption.policy != nil
            forecast.wasEncrypted = encryption.wasEncrypted
            if forecast.policy == .never {
                forecast.outcome = .clear(.policy)
                return forecast
            }
            guard isOnline else { return forecast }
            if !isSending, try await !mayRequestDevices(for: conversation) {
                forecast.outcome = .stranger
                return forecast
            }
            let audience = await examinedAudience(of: conversation)
            if case .success(let known) = audience {
                let new = await newKeys(in: known)
                if !new.isEmpty { await recordKeys(of: new, in: conversation) }
            }
            var draft = KeyDraft(memory)
            switch try await plan(for: conversation, with: audience, isForLegacy: true, &draft) {
            case .clear(let reason): forecast.outcome = .clear(reason)
            case .sealed(_, let omitted): (forecast.outcome, forecast.unreadable) = (.encrypted, omitted)
            }
        } catch {
            forecast.unreadable = error.recipients
            guard isOnline || !error.isTemporary else { return forecast }
            forecast.outcome = error.isTemporary ? .waits(error.code) : .refused(error.code)
        }
        return forecast
    }
}

extension OMEMOProtection {
    /// Not those of a stranger who has written first.
    private func mayRequestDevices(for conversation: ConversationAddress) async throws(ProtectionError) -> Bool {
        guard conversation.kind == .direct else { return true }
        let person = conversation.address.bare
        if try await strangers.isKnownPerson(person) { return true }
        let key = ConversationKey(account: account, address: person, kind: .direct)
        do throws(StoreError) {
            return try await store.read { reader throws(StoreError) in
                guard let id = try reader.conversation(key) else { return true }
                return try reader.timeline(of: id, .newest, limit: 1).isEmpty
            }
        } catch {
            throw ProtectionError(.ownKeys, "The conversation cannot be read.", isTemporary: true, cause: error)
        }
    }
}

extension ChatAccount {
    /// What happens to a text that is sent in a conversation now, also for an account without encryption.
    public func encryptionForecast(for conversation: ConversationAddress) async -> EncryptionForecast {
        guard let encryption else { return EncryptionForecast(.clear(.withoutEncryption), policy: .never) }
        return await encryption.forecast(for: conversation)
    }
}
