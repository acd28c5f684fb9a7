internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO

/// Publishes the keys of this device, and replaces those that are used or old.
///
/// It belongs to ``OMEMOService``, whose turns it works in.
final class KeyPublication {
    private let parts: EncryptionParts
    private let encryption: EncryptionContext
    /// What the server has of this device: the ids of one-time keys, and that of the signed key.
    private var published: Set<UInt32>?
    private var publishedSignedKey: UInt32?
    /// The first publication of this process.
    private var isFirst = true
    /// When the oldest one-time key was replaced, in seconds since 1970.
    private var lastReplacement: Int64?

    /// Seconds after which the oldest one-time key is replaced: an older copy of the records is noticed, also one that was
    /// made while the program was running.
    private static let replacementPeriod: Int64 = 6 * 3_600

    init(_ parts: EncryptionParts) { (self.parts, encryption) = (parts, parts.context) }

    /// The server may have something else than what was published.
    func begin() { published = nil }

    private var isReplacementDue: Bool {
        guard !isFirst, let last = lastReplacement else { return true }
        return abs(encryption.seconds - last) >= Self.replacementPeriod
    }

    nonisolated(nonsending) func publish(with devices: OMEMODevices) async throws {
        let (encryption, parts) = (encryption, parts)
        let device = encryption.ownDevice
        if device.takeAnnouncement() { (published, publishedSignedKey) = (nil, nil) }
        if isFirst { device.checkBegan() }
        let cryptography = encryption.cryptography
        // Where the keyring could not be opened before.
        try await parts.load()
        var own = try encryption.own()
        let known = published == nil ? try await serverKeys(of: own, with: devices) : nil
        if published == nil {
            if !own.keys.isAnnounced {
                let listing = await devices.devices(of: encryption.address)
                if listing.devices.contains(where: { $0.id == own.keys.device }) {
                    own.keys.device = try await devices.unusedDevice()
                }
            }
        }
        let isReplacing = isReplacementDue
        let before = own
        let (keys, unused) = try await encryption.memory.change {
            (draft: inout KeyDraft) async throws(ProtectionError) in
            var keys = before.keys
            if let known, let last = known.preKeys.max(), last > keys.lastPreKey || known.signedKey > keys.lastSignedKey
            {
                try await parts.repair.renew(&keys, after: last, known.signedKey, &draft)
            }
            do throws(OMEMOError) {
                _ = try keys.rotate(now: encryption.seconds, using: cryptography)
            } catch {
                throw ProtectionError(.ownKeys, error.description, cause: error)
            }
            // A number that grows shows on the server that these records are older than what was published.
            if isReplacing {
                try await device.retireOne(&draft)
                try await parts.sessions.discardOldKeys(&draft)
            }
            try await device.refill(&keys, &draft)
            let unused = try await device.unusedPreKeys(draft)
            if keys.record != before.keys.record { draft.write(OwnKeys.name, keys.record) }
            return (keys, unused)
        }
        own.keys = keys
        device.checked(own)
        isFirst = false
        if isReplacing { lastReplacement = encryption.seconds }
        let ids = Set(unused.map(\.id))
        guard ids != published || keys.currentSignedKey.pair.id != publishedSignedKey else { return }
        for generation in OMEMOGeneration.allCases {
            let bundle = try OMEMOBundle(
                generation, identity: own.identity, signedPreKey: keys.currentSignedKey, preKeys: unused,
                using: cryptography)
            try await devices.publish(bundle, of: keys.device)
        }
        if published == nil {
            let entry: OMEMODeviceList.Device =
                if let label = encryption.settings.label {
                    try OMEMODeviceList.Device(keys.device, label: label, by: own.identity, using: cryptography)
                } else {
                    OMEMODeviceList.Device(keys.device)
                }
            try await devices.announce(entry)
        }
        (published, publishedSignedKey) = (ids, keys.currentSignedKey.pair.id)
        guard !keys.isAnnounced else { return }
        own.keys.isAnnounced = true
        let announced = own
        try await encryption.memory.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.write(OwnKeys.name, announced.keys.record)
        }
        device.replace(announced)
    }

    /// Removes an earlier device of this profile whose identity key no longer exists.
    nonisolated(nonsending) func withdrawRetired(with devices: OMEMODevices) async throws {
        let record = try await encryption.memory.value(OwnKeys.retiredName)
        guard let record, let device = OMEMODevice(String(decoding: record, as: UTF8.self)) else { return }
        try await devices.withdraw(device)
        try await encryption.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.write(OwnKeys.retiredName, nil)
        }
    }

    /// What the server has of this device from before; `nil` if nothing.
    ///
    /// - Throws: if the server gives no answer: what it has is not replaced unseen.
    private nonisolated(nonsending) func serverKeys(
        of own: OwnDevice.Keys, with devices: OMEMODevices
    ) async throws(ProtectionError) -> (preKeys: Set<UInt32>, signedKey: UInt32)? {
        var result: (preKeys: Set<UInt32>, signedKey: UInt32)?
        for generation in OMEMOGeneration.allCases {
            let address = BundleAddress(DeviceAddress(encryption.address, own.keys.device), generation)
            let bundle: VerifiedBundle
            do throws(ProtectionError) {
                bundle = try await devices.bundle(address)
            } catch {
                guard !error.isTemporary else { throw error }
                continue
            }
            guard bundle.identityKey.isSame(as: own.identity.publicKey, using: encryption.cryptography) else {
                continue
            }
            result = (
                (result?.preKeys ?? []).union(bundle.preKeyIDs), max(result?.signedKey ?? 0, bundle.signedPreKeyID)
            )
        }
        return result
    }
}
