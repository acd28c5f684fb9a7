public import ChatStore
internal import EndToEndEncryption
internal import OMEMO
public import XMPPAddress

/// A device that an account has used or announced, as a person looks at it.
public struct PeerKey: Sendable, Hashable {
    /// 64 hexadecimal digits.
    public var fingerprint: String
    public var device: UInt32
    public var trust: DeviceTrust
    /// In seconds since 1970.
    public var firstSeen: Int64
    public var lastSeen: Int64
}

extension OMEMOProtection {
    /// New keys are trusted until the person has verified one of the account.
    private static let policy = DeviceTrustPolicy.blindUntilVerified

    /// What is thought of an identity key that a device uses; a new one is noted.
    ///
    /// - Parameter isUsed: a message of it was opened.
    /// - Throws: `ProtectionError` with `forged` if the key belongs to another account: who passes on a message as his
    ///   own cannot be told from its author otherwise, in the legacy generation.
    func trust(
        in key: IdentityKey, of device: PeerDevice, isUsed: Bool, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> DeviceTrust {
        let name = KnownKey.name(key.fingerprint, of: device.address)
        if let record = try await draft.value(name) {
            var known = try KnownKey(record)
            let before = known
            if isUsed { known.lastSeen = max(known.lastSeen, seconds / Self.seenStep * Self.seenStep) }
            known.device = device.device
            if known != before { draft.write(name, known.record) }
            return known.trust
        }
        let others = try await draft.values(beginningWith: KnownKey.prefix)
        guard !others.keys.contains(where: { $0.hasSuffix("/" + key.fingerprint) }),
            try own().identity.publicKey.fingerprint != key.fingerprint
        else { throw ProtectionError(.forged, "The key belongs to another account.") }
        var identities: [DeviceIdentity] = []
        for (name, record) in others where name.hasPrefix(KnownKey.prefix(device.address)) {
            let known = try KnownKey(record)
            guard let identity = try? IdentityKey(x25519: known.key, using: cryptography) else { continue }
            identities.append(DeviceIdentity(device.address, known.device, identity, known.trust))
        }
        guard identities.count < Self.keyLimit else {
            throw ProtectionError(.forged, "The account has used more keys than anybody has.")
        }
        let finding = Self.policy.examine(
            key, of: DeviceAddress(device.address, device.device), known: identities, using: cryptography)
        // Who writes with a device that its account does not announce is not believed before it does.
        if isUsed, let directory = state.withLock({ $0.directory }), await directory.announces(device) == false {
            return .undecided
        }
        draft.write(name, KnownKey(key, device.device, trust: finding.trust, now: seconds).record)
        return finding.trust
    }

    /// Keys of one account that are remembered.
    private static let keyLimit = 500
    /// When a key was seen last is noted by the day, in seconds.
    private static let seenStep: Int64 = 86_400

    /// The keys of an account that are known here.
    public func keys(of address: JID) async throws(ProtectionError) -> [PeerKey] {
        let prefix = KnownKey.prefix(address.bare)
        var keys: [PeerKey] = []
        for (name, record) in try await memory.values(beginningWith: prefix) {
            let known = try KnownKey(record)
            keys.append(
                PeerKey(
                    fingerprint: String(name.dropFirst(prefix.count)), device: known.device.number, trust: known.trust,
                    firstSeen: known.firstSeen, lastSeen: known.lastSeen))
        }
        return keys.sorted { $0.fingerprint < $1.fingerprint }
    }

    /// The fingerprint of this device; `nil` before the keys are loaded.
    public var fingerprint: String? { state.withLock { $0.own?.identity.publicKey.fingerprint } }

    /// The number of this device; `nil` before the keys are loaded.
    public var device: UInt32? { state.withLock { $0.own?.keys.device.number } }

    /// Others can begin to encrypt for this device: its keys are published.
    public var isAnnounced: Bool { state.withLock { $0.own?.keys.isAnnounced ?? false } }
}
