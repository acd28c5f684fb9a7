internal import EndToEndEncryption
internal import MessageSemantics
internal import OMEMO
internal import XMPPAddress

/// What a verification link has changed. Each key is a fingerprint of 64 hexadecimal digits.
public struct VerificationOutcome: Sendable, Hashable {
    /// Keys that are verified now, or were before.
    public var verified: [String] = []
    /// Keys that the link calls distrusted, and that are now.
    public var distrusted: [String] = []
    /// Keys that were never seen at the account: nothing was recorded about them.
    public var unknown: [String] = []
    /// Keys that contradict what is known: another key is known of that device, the person distrusts the key, or has
    /// verified a key that the link calls distrusted. If there is one, the link changes nothing.
    public var contradicting: [String] = []

    public init() {}
}

/// Verifies keys by links, for example QR codes.
struct KeyVerification: Sendable {
    let context: EncryptionContext
    let devices: KnownDevices

    /// The keys of an account as a link, for example as a QR code: of our own account this device and the devices that
    /// the person has verified, of another one those that the person has verified. `nil` if there are none.
    func link(for address: JID) async throws(ProtectionError) -> VerificationLink? {
        let address = address.bare
        var entries: [VerificationLink.Entry] = []
        if address == context.address {
            let own = try context.own()
            entries.append(.init(own.keys.device, KeyFingerprint(own.identity.publicKey)))
        }
        let keys = try await KeyDraft(context.memory).knownKeys(of: address).filter { $0.value.trust == .verified }
        for (fingerprint, known) in keys.sorted(by: { $0.key < $1.key }) {
            guard let fingerprint = KeyFingerprint(fingerprint) else { continue }
            entries.append(.init(known.device, fingerprint))
        }
        return entries.isEmpty ? nil : VerificationLink(address, entries)
    }

    /// Verifies the keys that a link names. Use a link only if it came from the owner of the account, and only after
    /// asking the person.
    ///
    /// A link that contradicts what is known changes nothing: the person must look at it.
    func verify(with link: VerificationLink) async throws -> VerificationOutcome {
        // The keys that the account announces, so that they are known.
        let present = try await devices.devices(of: link.account)
        let ownFingerprint = try context.own().identity.publicKey.fingerprint
        return try await context.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            var outcome = VerificationOutcome()
            let keys = try await draft.knownKeys(of: link.account)
            for entry in link.entries {
                if link.account == context.address, entry.fingerprint.digits == ownFingerprint {
                    outcome.verified.append(ownFingerprint)
                    continue
                }
                let known = key(entry.fingerprint, in: keys)
                let fingerprint = known ?? entry.fingerprint.digits
                let isOther = present.contains { device in
                    device.device == entry.device?.number && device.isAnnounced != false && device.fingerprint != nil
                        && device.fingerprint != fingerprint
                }
                if isOther || known.flatMap({ keys[$0]?.trust }) == .distrusted {
                    outcome.contradicting.append(fingerprint)
                } else if known == nil {
                    outcome.unknown.append(fingerprint)
                } else {
                    outcome.verified.append(fingerprint)
                }
            }
            for entry in link.distrusted {
                guard let fingerprint = key(entry, in: keys), let trust = keys[fingerprint]?.trust else {
                    continue
                }
                if trust == .verified || outcome.verified.contains(fingerprint) {
                    outcome.contradicting.append(fingerprint)
                } else {
                    outcome.distrusted.append(fingerprint)
                }
            }
            guard outcome.contradicting.isEmpty else {
                (outcome.verified, outcome.distrusted) = ([], [])
                return outcome
            }
            let decisions =
                outcome.verified.map { ($0, DeviceTrust.verified) } + outcome.distrusted.map { ($0, .distrusted) }
            for (fingerprint, trust) in decisions {
                guard var known = keys[fingerprint] else { continue }
                known.trust = trust
                draft.write(known, fingerprint, of: link.account)
            }
            return outcome
        }
    }

    /// The known key that a link means.
    private func key(_ fingerprint: KeyFingerprint, in keys: [String: KnownKey]) -> String? {
        keys.first { _, known in
            guard let key = try? IdentityKey(x25519: known.key, using: context.cryptography) else { return false }
            return fingerprint.matches(key, using: context.cryptography)
        }?.key
    }
}
