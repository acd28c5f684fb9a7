internal import ChatStore
internal import OMEMO
internal import XMPPAddress

/// The empty messages with which sessions are answered, repaired and begun again.
struct SessionRepair: Sendable {
    let context: EncryptionContext
    let keyTrust: KeyTrust
    let strangers: Strangers

    /// Records whether the sender's device waits for a message.
    func received(
        _ decryption: OMEMODecryption, by device: PeerDevice, in conversation: ConversationAddress,
        _ draft: inout KeyDraft
    ) async throws(ProtectionError) {
        if decryption.isPeerRestored { return try await owe(.repair, to: device, in: conversation, &draft) }
        if decryption.emptyMessageDue != nil { try await owe(.answer, to: device, in: conversation, &draft) }
    }

    /// Records that a device waits for an empty message. Strangers get none: others would fill the list, and learn that
    /// this device is online.
    ///
    /// - Parameter conversation: where the device has written.
    func owe(
        _ kind: OwedMessage.Kind, to device: PeerDevice, in conversation: ConversationAddress, _ draft: inout KeyDraft
    ) async throws(ProtectionError) {
        let room = conversation.kind == .room ? conversation.address : nil
        let isKnown = try await strangers.isKnownPerson(device.address)
        guard isKnown || room != nil else { return }
        let name = OwedMessage.name(device)
        var all = try await draft.values(beginningWith: OwedMessage.prefix)
        var owed = try all[name].map { record throws(ProtectionError) in try OwedMessage(record) } ?? OwedMessage()
        if kind == .repair, !owed.mayRepair(now: context.seconds) { return }
        guard owed.kind.rawValue < kind.rawValue else { return }
        if all[name] == nil, all.count >= OwedMessage.limit {
            for (other, record) in all where try OwedMessage(record).isOver(now: context.seconds) {
                draft.write(other, nil)
                all[other] = nil
            }
        }
        if all[name] == nil, all.count >= OwedMessage.limit {
            // Members of rooms make way for people.
            guard isKnown else { return }
            var other: String?
            for (name, record) in all where other == nil {
                if try OwedMessage(record).room != nil { other = name }
            }
            guard let other else { return }
            draft.write(other, nil)
        }
        owed.kind = kind
        owed.room = isKnown ? nil : room
        draft.write(name, owed.record)
    }

    /// An empty message for a device: in the session with it, or in a new one that takes its place.
    ///
    /// - Parameter bundle: begins a new session.
    /// - Returns: `nil` if there is no session.
    func emptyMessage(
        for device: PeerDevice, _ bundle: VerifiedBundle?, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> OMEMOElement? {
        let own = try context.own()
        let name = SessionShelf.name(device)
        var shelf =
            try await draft.value(name).map { record throws(ProtectionError) in try SessionShelf(record) }
            ?? SessionShelf()
        if let bundle {
            // A key that is not trusted gets nothing, and a changed one is for the person to decide.
            let moment = ConversationMoment(
                conversation: ConversationAddress(device.address, kind: .direct), time: context.now())
            guard try await keyTrust.trust(in: bundle.identityKey, of: device, by: .bundle, at: moment, &draft).mayRead
            else {
                return nil
            }
        }
        do throws(OMEMOError) {
            if let bundle {
                let session = try OMEMOSession.initiate(
                    with: bundle, by: own.identity, device: own.keys.device, using: context.cryptography)
                shelf.put(session.serialized)
            }
            guard let bytes = shelf.sessions.first else { return nil }
            var session = try OMEMOSession(serialized: bytes)
            let (plaintext, nonce) = try emptyPayload(device.generation)
            let key = try session.encrypt(plaintext, using: context.cryptography)
            shelf.put(session.serialized, replacing: 0)
            draft.write(name, shelf.record)
            let account = device.generation == .current ? device.address.description : nil
            return OMEMOElement(
                device.generation, sender: own.keys.device,
                keys: [.init(account: account, device: device.device, key)], nonce: nonce)
        } catch {
            throw ProtectionError(.keyMissing, error.description, cause: error)
        }
    }

    /// The content of an empty message; clients of the legacy generation expect a key and a nonce without a payload.
    private func emptyPayload(_ generation: OMEMOGeneration) throws(OMEMOError) -> ([UInt8], nonce: [UInt8]?) {
        switch generation {
        case .current: return (EncryptedPayload.emptyKey, nil)
        case .legacy:
            let payload = try LegacyPayload([], using: context.cryptography)
            return (payload.key.bytes, payload.nonce)
        }
    }

    // MARK: A restored copy

    /// Starts all sessions again after the records were restored from an old copy: the old sessions have been used since
    /// the copy was made, and nothing may be encrypted in them again. They still decrypt what was sent in them before
    /// this device answered.
    func renew(
        _ keys: inout OwnKeys, after lastPreKey: UInt32, _ lastSignedKey: UInt32, _ draft: inout KeyDraft
    ) async throws(ProtectionError) {
        for (name, record) in try await draft.values(beginningWith: SessionShelf.prefix) {
            // A record that cannot be read is of no use.
            var shelf = (try? SessionShelf(record)) ?? SessionShelf()
            shelf.retire(now: context.seconds)
            draft.write(name, shelf.isEmpty ? nil : shelf.record)
            let owed = OwedMessage.prefix + name.dropFirst(SessionShelf.prefix.count)
            guard let device = OwedMessage.device(named: owed) else { continue }
            let conversation = ConversationAddress(device.address, kind: .direct)
            try await owe(.repair, to: device, in: conversation, &draft)
        }
        try await context.ownDevice.retireAll(&draft)
        keys.lastPreKey = max(keys.lastPreKey, lastPreKey)
        do throws(OMEMOError) {
            try keys.replaceSignedKey(
                after: max(keys.lastSignedKey, lastSignedKey), now: context.seconds, using: context.cryptography)
        } catch {
            throw ProtectionError(.ownKeys, error.description, cause: error)
        }
    }
}
