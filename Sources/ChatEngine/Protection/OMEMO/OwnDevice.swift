internal import ChatStore
internal import OMEMO
internal import Synchronization

/// This device: its identity and the keys with which others begin sessions with it.
final class OwnDevice: Sendable {
    struct Keys: Sendable {
        let identity: IdentityKeyPair
        var keys: OwnKeys
    }

    private struct State {
        var keys: Keys?
        var isCheckDue = false
        var isAnnouncementDue = false
    }

    private let identities: any OMEMOIdentities
    let memory: KeyMemory
    let cryptography: any OMEMOCryptography
    private let now: @Sendable () -> MessageTime
    private let state = Mutex(State())

    init(
        _ identities: any OMEMOIdentities, memory: KeyMemory, cryptography: any OMEMOCryptography,
        now: @escaping @Sendable () -> MessageTime
    ) {
        (self.identities, self.memory, self.cryptography, self.now) = (identities, memory, cryptography, now)
    }

    /// In seconds since 1970.
    var seconds: Int64 { now().millisecondsSince1970 / 1000 }

    /// The keys; `nil` before ``load()``.
    var loaded: Keys? { state.withLock { $0.keys } }

    /// Reads or makes the keys of this device. Until then nothing can be opened or sealed.
    ///
    /// - Throws: `ProtectionError` with `ownKeys`; it is temporary if the identity may be in a place that does not answer.
    func load() async throws(ProtectionError) {
        guard loaded == nil else { return }
        let search: IdentitySearch
        do { search = try await identities.search() } catch {
            throw ProtectionError(
                .ownKeys, "The identity of this device cannot be read.", isTemporary: true, cause: error)
        }
        let place = try await memory.value(OwnKeys.placeName).map { String(decoding: $0, as: UTF8.self) }
        let record = try await memory.value(OwnKeys.name)
        let keys = record.flatMap { try? OwnKeys($0, using: cryptography) }
        if let record, keys == nil, record.first.map({ $0 > OwnKeys.version }) == true {
            throw ProtectionError(.ownKeys, "The keys of this device are of a newer version of this program.")
        }
        if let keys {
            for seed in search.seeds {
                guard let identity = identity(of: seed), identity.publicKey.ed25519 == keys.identity else { continue }
                if seed.place != place { try await note(seed.place) }
                return replace(Keys(identity: identity, keys: keys))
            }
        }
        if record != nil, keys != nil || search.seeds.isEmpty,
            place.map({ search.unsearched.contains($0) }) ?? !search.unsearched.isEmpty
        {
            // A new identity would end all sessions.
            throw ProtectionError(
                .ownKeys, "The place of the identity of this device does not answer.", isTemporary: true)
        }
        // A damaged record is as good as none.
        try await make(retiring: keys?.device ?? record.flatMap { OwnKeys.device(in: $0) }, search)
    }

    private func identity(of seed: IdentitySearch.Seed) -> IdentityKeyPair? {
        try? IdentityKeyPair(seed: SecretBytes(seed.bytes), using: cryptography)
    }

    private func note(_ place: String) async throws(ProtectionError) {
        var draft = KeyDraft(memory)
        draft.write(OwnKeys.placeName, Array(place.utf8))
        try await memory.save(draft)
    }

    /// Makes the keys of a new device.
    ///
    /// - Parameter retired: an earlier device of this profile whose identity is lost.
    private func make(retiring retired: OMEMODevice?, _ search: IdentitySearch) async throws(ProtectionError) {
        do {
            let identity: IdentityKeyPair
            let place: String
            if let seed = search.seeds.first {
                (identity, place) = (
                    try IdentityKeyPair(seed: SecretBytes(seed.bytes), using: cryptography), seed.place
                )
            } else {
                identity = try .random(using: cryptography)
                place = try await identities.save(identity.seed.bytes)
            }
            // Sessions of another identity cannot be used.
            var draft = KeyDraft(memory)
            for prefix in [SessionShelf.prefix, OwnPreKey.prefix] {
                for name in try await memory.values(beginningWith: prefix).keys { draft.write(name, nil) }
            }
            let device = try OMEMODevice.random(using: cryptography)
            var keys = try OwnKeys(identity, device: device, now: seconds, using: cryptography)
            try await refill(&keys, &draft)
            draft.write(OwnKeys.name, keys.record)
            draft.write(OwnKeys.placeName, Array(place.utf8))
            if let retired { draft.write(OwnKeys.retiredName, Array(retired.description.utf8)) }
            try await memory.save(draft)
            replace(Keys(identity: identity, keys: keys))
        } catch {
            throw error as? ProtectionError
                ?? ProtectionError(.ownKeys, "The keys of this device cannot be stored.", cause: error)
        }
    }

    /// The keys of this device.
    func current() throws(ProtectionError) -> Keys {
        guard let keys = loaded else {
            throw ProtectionError(.ownKeys, "The keys of this device are not loaded.", isTemporary: true)
        }
        return keys
    }

    /// The stored keys are these.
    func replace(_ keys: Keys) { state.withLock { $0.keys = keys } }

    // MARK: The published keys

    /// It is not known yet whether the records are an old copy, whose sessions must not encrypt again.
    var isCheckDue: Bool { state.withLock { $0.isCheckDue } }

    func checkBegan() { state.withLock { $0.isCheckDue = true } }

    /// The records were compared with what the server has, and are these.
    func checked(_ keys: Keys) {
        state.withLock { state in
            state.keys = keys
            state.isCheckDue = false
        }
    }

    /// The keys must be published again.
    func announceAgain() { state.withLock { $0.isAnnouncementDue = true } }

    /// Whether the keys must be published again; said once.
    func takeAnnouncement() -> Bool {
        state.withLock { state in
            defer { state.isAnnouncementDue = false }
            return state.isAnnouncementDue
        }
    }
}

/// The one-time keys.
extension OwnDevice {
    /// Creates one-time keys up to the number to publish, and removes used ones that no message can refer to any more, and
    /// records that are damaged.
    ///
    /// - Returns: whether others are to be published than before.
    @discardableResult
    func refill(_ keys: inout OwnKeys, _ draft: inout KeyDraft) async throws(ProtectionError) -> Bool {
        var unused = 0
        var changed = false
        var used: [OwnPreKey] = []
        for (name, record) in try await draft.values(beginningWith: OwnPreKey.prefix) {
            guard let key = try? OwnPreKey(record, using: cryptography) else {
                draft.write(name, nil)
                continue
            }
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

    /// Takes the oldest one-time key out of the bundle, so that a later one takes its place.
    func retireOne(_ draft: inout KeyDraft) async throws(ProtectionError) {
        guard var oldest = try await unusedPreKeyRecords(draft).min(by: { $0.pair.id < $1.pair.id }) else { return }
        retire(&oldest, &draft)
    }

    /// Takes all one-time keys out of the bundle: others may have taken them from it.
    func retireAll(_ draft: inout KeyDraft) async throws(ProtectionError) {
        for var key in try await unusedPreKeyRecords(draft) { retire(&key, &draft) }
    }

    private func retire(_ key: inout OwnPreKey, _ draft: inout KeyDraft) {
        key.used = max(seconds, 1)
        draft.write(OwnPreKey.name(key.pair.id), key.record)
    }

    /// The one-time keys to publish, by id.
    func unusedPreKeys(_ draft: KeyDraft) async throws(ProtectionError) -> [PreKeyPair] {
        try await unusedPreKeyRecords(draft).map(\.pair).sorted { $0.id < $1.id }
    }

    private func unusedPreKeyRecords(_ draft: KeyDraft) async throws(ProtectionError) -> [OwnPreKey] {
        var unused: [OwnPreKey] = []
        for record in try await draft.values(beginningWith: OwnPreKey.prefix).values {
            guard let key = try? OwnPreKey(record, using: cryptography) else { continue }
            if key.used == 0 { unused.append(key) }
        }
        return unused
    }
}
