public import ChatStore
internal import Cryptography
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import Waiting
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Encrypts and decrypts the messages of one account with OMEMO, in both generations (XEP-0384).
///
/// Each device of a recipient gets the newest generation that it announces; a message can carry both. The state is kept
/// in records of the store, which change in the transaction of the message; only the identity key is stored elsewhere
/// (``OMEMOIdentities``).
///
/// The opening and sealing halves are in `OMEMOProtection+Opening` and `+Sealing`; `OMEMOService` publishes the keys
/// and sends the empty messages that other devices wait for.
public final class OMEMOProtection: ContentProtection {
    /// The accounts and devices that can read a conversation, as last requested.
    struct Audience: Sendable {
        /// The accounts besides our own.
        var recipients: [JID]
        var listings: [JID: DeviceListing]
    }

    struct Own: Sendable {
        let identity: IdentityKeyPair
        var keys: OwnKeys
    }

    /// The answer to a request for a bundle.
    struct FetchedBundle: Sendable {
        /// The seconds for which it can be used: a later one may have other one-time keys.
        static let lifetime: Int64 = 600

        let result: Result<VerifiedBundle, ProtectionError>
        /// In seconds since 1970.
        let time: Int64
    }

    struct State {
        var own: Own?
        /// By conversation, between ``prepare(_:)`` and ``seal(_:in:)``.
        var audiences: [ConversationAddress: Result<Audience, ProtectionError>] = [:]
        var bundles: [PeerDevice: FetchedBundle] = [:]
        /// It is not known yet whether the records are an old copy, whose sessions must not encrypt again.
        var isCheckDue = false
        /// The keys of this device are to be published again.
        var isAnnouncementDue = false
        var directory: (any KeyDirectory)?
        var occupants: [JID: JID] = [:]
        /// Senders that need not be counted as strangers again.
        var settled: Set<JID> = []
        /// Gives each change its turn.
        var protector: MessageProtector?
    }

    let settings: OMEMOSettings
    /// The account's bare address.
    let address: JID
    let memory: KeyMemory
    let cryptography: any OMEMOCryptography = OpenSSLCryptography()
    let now: @Sendable () -> MessageTime
    let state = Mutex(State())
    /// There is something to publish or to send.
    let work = Signal()
    /// Open when others can answer: the keys of this device are published, or could not be.
    let published = Gate()
    /// Reports what has changed.
    let events: EventChannel<ChatAccountEvent>
    let store: any LocalStore
    let account: AccountID
    /// The number of strangers whose records are stored.
    let strangerLimit: Int

    init(
        _ settings: OMEMOSettings, store: any LocalStore, account: AccountID, address: JID,
        events: EventChannel<ChatAccountEvent> = EventChannel(), strangerLimit: Int = StrangerRecord.limit,
        now: @escaping @Sendable () -> MessageTime
    ) {
        self.settings = settings
        self.store = store
        self.account = account
        self.address = address.bare
        self.now = now
        self.events = events
        self.strangerLimit = strangerLimit
        memory = KeyMemory(store: store, account: account)
    }

    /// Whether servers can be asked: the account is online, and others can answer.
    var isOnline: Bool { published.isOpen && state.withLock { $0.directory != nil } }

    /// In seconds since 1970.
    var seconds: Int64 { now().millisecondsSince1970 / 1000 }

    /// Reads or makes the keys of this device. Until then nothing can be opened or sealed.
    ///
    /// - Throws: `ProtectionError` with `ownKeys`.
    func load() async throws(ProtectionError) {
        if state.withLock({ $0.own != nil }) { return }
        do {
            let identity: IdentityKeyPair
            if let seed = try await settings.identities.seed() {
                identity = try IdentityKeyPair(seed: SecretBytes(seed), using: cryptography)
            } else {
                identity = try .random(using: cryptography)
                try await settings.identities.save(identity.seed.bytes)
            }
            var retired: OMEMODevice?
            if let record = try await memory.value(OwnKeys.name) {
                let keys = try OwnKeys(record, using: cryptography)
                if keys.identity == identity.publicKey.ed25519 {
                    try await indexKeys()
                    state.withLock { $0.own = Own(identity: identity, keys: keys) }
                    return
                }
                retired = keys.device
            }
            // Sessions of another identity cannot be used.
            var draft = KeyDraft(memory)
            for name in try await memory.values(beginningWith: SessionShelf.prefix).keys { draft.write(name, nil) }
            for name in try await memory.values(beginningWith: OwnPreKey.prefix).keys { draft.write(name, nil) }
            let device = try OMEMODevice.random(using: cryptography)
            var keys = try OwnKeys(identity, device: device, now: seconds, using: cryptography)
            try await refill(&keys, &draft)
            draft.write(OwnKeys.name, keys.record)
            if let retired { draft.write(OwnKeys.retiredName, Array(retired.description.utf8)) }
            try await save(draft)
            let made = Own(identity: identity, keys: keys)
            state.withLock { $0.own = made }
        } catch {
            throw error as? ProtectionError
                ?? ProtectionError(.ownKeys, "The keys of this device cannot be read or stored.", cause: error)
        }
    }

    /// Records of earlier versions have no index by fingerprint.
    private func indexKeys() async throws(ProtectionError) {
        guard try await memory.values(beginningWith: KnownKey.ownerPrefix).isEmpty else { return }
        var draft = KeyDraft(memory)
        for (name, record) in try await memory.values(beginningWith: KnownKey.prefix) {
            guard let address = KnownKey.address(inName: name) else { continue }
            let fingerprint = String(name.dropFirst(KnownKey.prefix(address).count))
            draft.write(try KnownKey(record), fingerprint, of: address)
        }
        try await save(draft)
    }

    /// Stores a change that belongs to no message. Only where no step of a message can come between.
    private func save(_ draft: consuming KeyDraft) async throws(ProtectionError) {
        guard let change = draft.finish() else { return }
        defer { memory.remove(change) }
        let account = account
        do throws(StoreError) {
            try await store.write { writer throws(StoreError) in try writer.save(change, of: account) }
        } catch {
            throw ProtectionError(.ownKeys, "The keys cannot be stored.", isTemporary: true, cause: error)
        }
    }

    /// Creates one-time keys up to the number to publish, and removes used ones that no message can refer to any more.
    ///
    /// - Returns: whether others are to be published than before.
    @discardableResult
    func refill(_ keys: inout OwnKeys, _ draft: inout KeyDraft) async throws(ProtectionError) -> Bool {
        var unused = 0
        var changed = false
        var used: [OwnPreKey] = []
        for (name, record) in try await draft.values(beginningWith: OwnPreKey.prefix) {
            let key = try OwnPreKey(record, using: cryptography)
            if key.used == 0 {
                unused += 1
            } else if seconds - key.used > OwnPreKey.lifetimeAfterUse {
                draft.write(name, nil)
                changed = true
            } else {
                used.append(key)
            }
        }
        used.sort { ($0.used, $0.pair.id) < ($1.used, $1.pair.id) }
        for key in used.dropLast(OwnPreKey.usedLimit) { draft.write(OwnPreKey.name(key.pair.id), nil) }
        guard unused < OMEMOLimits.publishedPreKeys else { return changed }
        do throws(OMEMOError) {
            let added = try PreKeyPair.random(
                count: OMEMOLimits.publishedPreKeys - unused, after: keys.lastPreKey, using: cryptography)
            for pair in added { draft.write(OwnPreKey.name(pair.id), OwnPreKey(pair).record) }
            keys.lastPreKey = added.last?.id ?? keys.lastPreKey
        } catch {
            throw ProtectionError(.ownKeys, "No keys can be made.", cause: error)
        }
        return true
    }

    /// The keys of this device.
    func own() throws(ProtectionError) -> Own {
        guard let own = state.withLock({ $0.own }) else {
            throw ProtectionError(.ownKeys, "The keys of this device are not loaded.", isTemporary: true)
        }
        return own
    }

    func isAtWork(in protector: MessageProtector) { state.withLock { $0.protector = protector } }

    /// Changes the memory between two messages.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyDraft) async throws(ProtectionError) -> Result
    ) async throws -> Result {
        guard let protector = state.withLock({ $0.protector }) else {
            throw ProtectionError(.ownKeys, "The account is not at work.", isTemporary: true)
        }
        var step = ProtectionStep(protector)
        let result = try await step.perform { () async throws(ProtectionError) in
            var draft = KeyDraft(self.memory)
            let result = try await body(&draft)
            return (result, draft.finish())
        }
        try await step.store(of: account, in: store) { _ in }
        work.send()
        return result
    }

    // MARK: Stored changes

    public func stored(_ change: ProtectionChange) async {
        memory.remove(change)
        let changed = change.records.compactMap {
            KnownKey.address(inName: $0.name) ?? ConversationEncryption.address(inName: $0.name)
        }
        for address in Set(changed) { events.post(.encryption(address)) }
    }

    public func discarded(_ change: ProtectionChange) async {
        memory.remove(change)
    }
}
