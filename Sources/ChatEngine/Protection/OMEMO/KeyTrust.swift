internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import XMPPAddress

/// Where an identity key was found.
enum KeyEvidence {
    /// In a bundle, which can repeat the key of any other account.
    case bundle
    /// A message was decrypted with it that does not name its author: one of the legacy generation, an empty one, or
    /// an envelope without a sender.
    case message
    /// An envelope that names the account was decrypted with it. The record counts only if that was checked.
    case envelope

    var claim: KnownKey.Claim {
        switch self {
        case .bundle: .announced
        case .message: .used
        case .envelope: .named
        }
    }
}

/// Which identity keys may read: trust in those that are known, and what a new one means.
struct KeyTrust: Sendable {
    let context: EncryptionContext
    let unlisted = UnlistedSenders()

    /// New keys are trusted until the person has verified one of the account.
    private static let policy = DeviceTrustPolicy.blindUntilVerified

    /// Returns the trust in an identity key that a device uses, and records a new key; one that the person should decide
    /// about is noted in the conversation of the moment.
    ///
    /// - Throws: `ProtectionError` with `forged` if the key belongs to another account: it is our own, or
    ///   `checkOwner` finds another owner.
    func trust(
        in key: IdentityKey, of device: PeerDevice, by evidence: KeyEvidence, at moment: ConversationMoment,
        _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> DeviceTrust {
        let name = KnownKey.name(key.fingerprint, of: device.address)
        let isUsed = evidence != .bundle
        if let record = try await draft.value(name) {
            var known = try KnownKey(record)
            let before = known
            if known.claim != .named { try await checkOwner(of: key, at: device.address, known, evidence, draft) }
            known.claim = max(known.claim, evidence.claim)
            if isUsed { known.lastSeen = max(known.lastSeen, context.seconds / Self.seenStep * Self.seenStep) }
            known.device = device.device
            if known != before { draft.write(known, key.fingerprint, of: device.address) }
            return known.trust
        }
        try await checkOwner(of: key, at: device.address, nil, evidence, draft)
        var (identities, firstSeen) = ([DeviceIdentity](), Int64?.none)
        for (_, record) in try await draft.values(beginningWith: KnownKey.prefix(device.address)) {
            let known = try KnownKey(record)
            guard let identity = try? IdentityKey(x25519: known.key, using: context.cryptography) else { continue }
            identities.append(DeviceIdentity(device.address, known.device, identity, known.trust))
            firstSeen = min(firstSeen ?? known.firstSeen, known.firstSeen)
        }
        guard identities.count < Self.keyLimit else {
            throw ProtectionError(.forged, "The account has used more than \(Self.keyLimit) keys.")
        }
        let finding = Self.policy.examine(
            key, of: DeviceAddress(device.address, device.device), known: identities, using: context.cryptography)
        // A device that its account does not announce is not trusted. The list here may be old (XEP-0384 §6).
        if isUsed, let directory = context.servers.directory, await directory.announces(device) == false {
            if unlisted.add(device.address) { context.work.send() }
            return .undecided
        }
        var known = KnownKey(key, device.device, trust: finding.trust, now: context.seconds)
        known.claim = evidence.claim
        draft.write(known, key.fingerprint, of: device.address)
        if let kind = try await noticeKind(of: finding, since: firstSeen, device, at: moment, draft) {
            let noted = ConversationNotice.Key(
                device.address, device: device.device.number, fingerprint: key.fingerprint)
            draft.note(ConversationNotice(kind, in: moment.conversation, at: moment.time, key: noted))
        }
        return finding.trust
    }

    /// What the person is told about a key; nothing of the devices that an account has when it is met.
    ///
    /// - Parameter firstSeen: when the first key of the account was seen; `nil` if this is the first.
    private func noticeKind(
        of finding: DeviceTrustPolicy.Finding, since firstSeen: Int64?, _ device: PeerDevice,
        at moment: ConversationMoment,
        _ draft: KeyDraft
    ) async throws(ProtectionError) -> ConversationNotice.Kind? {
        switch finding {
        case .changedKey: return .changedKey
        case .known: return nil
        case .newDevice(let trust):
            guard trust.mayRead else { return .newKey }
            let conversation = try await draft.encryption(of: moment.conversation)
            // Another device of our own account can be the first one that is seen.
            guard conversation.wasEncrypted,
                let met = firstSeen ?? (device.address == context.address ? conversation.began : nil),
                context.seconds - met >= Self.meetingTime
            else { return nil }
            return .newDevice
        }
    }

    /// Refuses a key that belongs to another account, unless an envelope names this account.
    ///
    /// The account with the better claim owns a key: one that an envelope has named, then one whose messages were
    /// decrypted with it. A message that names no author is also refused if this account does not announce the key, or
    /// announced it later than another one: a sender who repeats the message of another account can copy its keys as
    /// well. A key that was announced here first, or that the person has verified here, stays here: copying it silences
    /// nobody.
    ///
    /// - Parameters:
    ///   - address: this account.
    ///   - known: the record of the key at this account.
    private func checkOwner(
        of key: IdentityKey, at address: JID, _ known: KnownKey?, _ evidence: KeyEvidence, _ draft: KeyDraft
    ) async throws(ProtectionError) {
        let forged = ProtectionError(.forged, "The key belongs to another account.")
        guard try context.own().identity.publicKey.fingerprint != key.fingerprint else { throw forged }
        guard evidence != .envelope else { return }
        let claim = known?.claim ?? .announced
        let prefix = KnownKey.ownerPrefix(key.fingerprint)
        for name in try await draft.values(beginningWith: prefix).keys where name != "\(prefix)\(address)" {
            guard let owner = try? JID(String(name.dropFirst(prefix.count))),
                let record = try await draft.value(KnownKey.name(key.fingerprint, of: owner))
            else { continue }
            let other = try KnownKey(record)
            guard other.claim <= claim else { throw forged }
            guard evidence == .message, claim == .announced, known?.trust != .verified else { continue }
            guard let known, known.firstSeen <= other.firstSeen else { throw forged }
        }
    }

    /// Records of earlier versions have no index by fingerprint.
    func indexKeys() async throws(ProtectionError) {
        guard try await context.memory.values(beginningWith: KnownKey.ownerPrefix).isEmpty else { return }
        var draft = KeyDraft(context.memory)
        for (name, record) in try await context.memory.values(beginningWith: KnownKey.prefix) {
            guard let address = KnownKey.address(inName: name) else { continue }
            let fingerprint = String(name.dropFirst(KnownKey.prefix(address).count))
            draft.write(try KnownKey(record), fingerprint, of: address)
        }
        try await context.memory.save(draft)
    }

    /// Seconds in which the devices are found that an account has: some with its first message, some with the first reply.
    private static let meetingTime: Int64 = 3_600
    /// The number of keys of one account that are recorded: far more than one person has devices.
    private static let keyLimit = 500
    /// The precision of `lastSeen` in seconds: a day, so that not each message changes the record.
    private static let seenStep: Int64 = 86_400
}

/// Accounts of which a message came from a device that is not in the list that is known here.
final class UnlistedSenders: Sendable {
    private let accounts = Mutex<Set<JID>>([])

    /// - Returns: whether it is new.
    func add(_ account: JID) -> Bool {
        accounts.withLock { accounts in
            accounts.count < EncryptionLimits.accounts && accounts.insert(account).inserted
        }
    }

    /// The accounts whose lists should be requested again; said once.
    func take() -> Set<JID> {
        accounts.withLock { accounts in
            defer { accounts = [] }
            return accounts
        }
    }
}
