internal import EndToEndEncryption
internal import MessageSemantics
internal import OMEMO

/// Decrypts what other devices encrypt for this one: in a session with one, or by accepting another.
struct SessionDecryption: Sendable {
    struct Decrypted {
        let decryption: OMEMODecryption
        let identity: IdentityKey
    }

    let context: EncryptionContext

    func decrypt(
        _ element: OMEMOElement, _ key: OMEMOElement.RecipientKey, by device: PeerDevice, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> Decrypted {
        let name = SessionShelf.name(device)
        var shelf =
            try await draft.value(name).map { record throws(ProtectionError) in try SessionShelf(record) }
            ?? SessionShelf()
        let incoming: IncomingKey
        do throws(OMEMOError) { incoming = try element.read(key) } catch { throw ProtectionError(opening: error) }
        let ratchet: RatchetMessage
        switch incoming {
        case .message(let message): ratchet = message
        case .keyExchange(let exchange):
            ratchet = exchange.message
            guard try isKnown(exchange, on: shelf) else {
                try await makeRoom(for: device, &draft)
                let accepted = try await accept(exchange, by: device, &draft)
                shelf.put(accepted.session)
                draft.write(name, shelf.record)
                return accepted.result
            }
        }
        guard !shelf.isEmpty else {
            throw ProtectionError(.noSession, "There is no session with the device.")
        }
        var failure: OMEMOError?
        let count = shelf.sessions.count
        for (index, bytes) in (shelf.sessions + shelf.retired).enumerated() {
            do throws(OMEMOError) {
                var session = try OMEMOSession(serialized: bytes)
                var decryption = try session.messageReceived(ratchet, now: context.seconds, using: context.cryptography)
                if index < count {
                    shelf.put(session.serialized, replacing: index)
                } else {
                    // Nothing is sent in it any more.
                    shelf.putRetired(session.serialized, replacing: index - count)
                    decryption = decryption.withoutAnswer
                }
                draft.write(name, shelf.record)
                return Decrypted(decryption: decryption, identity: session.peer)
            } catch {
                // A definite error is more useful than `sessionsDiffer`.
                if failure == nil || failure?.code == .sessionsDiffer { failure = error }
            }
        }
        throw failure.map { ProtectionError(opening: $0) } ?? .damagedRecord
    }

    private func isKnown(_ exchange: KeyExchangeMessage, on shelf: SessionShelf) throws(ProtectionError) -> Bool {
        for bytes in shelf.sessions + shelf.retired {
            guard let session = try? OMEMOSession(serialized: bytes) else { continue }
            if session.isMade(by: exchange) { return true }
        }
        return false
    }

    private func accept(
        _ exchange: KeyExchangeMessage, by device: PeerDevice, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> (session: [UInt8], result: Decrypted) {
        let own = try context.own()
        let name = OwnPreKey.name(exchange.preKey)
        var preKey = try await draft.value(name).map { record throws(ProtectionError) in
            try OwnPreKey(record, using: context.cryptography)
        }
        if let known = preKey, known.exchanges.contains(exchange.ephemeralKey) {
            // A device repeats its exchange in each message until it is answered: this may be a message that was never
            // decrypted here.
            throw ProtectionError(.noSession, "The key exchange was accepted before, and its session is gone.")
        }
        do throws(OMEMOError) {
            let identity = try exchange.identity(using: context.cryptography)
            let accepted = try OMEMOSession.accept(
                exchange, by: own.identity, signedPreKey: own.keys.signedKey(exchange.signedPreKey),
                preKey: preKey?.pair, now: context.seconds, using: context.cryptography)
            if var used = preKey.take(), used.exchanges.count < OwnPreKey.exchangeLimit {
                if used.used == 0 { used.used = max(context.seconds, 1) }
                used.exchanges.append(exchange.ephemeralKey)
                draft.write(name, used.record)
            } else {
                draft.write(name, nil)
            }
            return (
                accepted.session.serialized, Decrypted(decryption: accepted.decryption, identity: identity)
            )
        } catch {
            throw ProtectionError(opening: error)
        }
    }

    /// Discards the keys of missing messages that are too old, in all sessions.
    func discardOldKeys(_ draft: inout KeyDraft) async throws(ProtectionError) {
        for (name, record) in try await draft.values(beginningWith: SessionShelf.prefix) {
            guard var shelf = try? SessionShelf(record), shelf.timePassed(now: context.seconds) else { continue }
            draft.write(name, shelf.isEmpty ? nil : shelf.record)
        }
    }

    /// Makes room for a session with a new device. The devices of an account are bounded, and a sender can write any
    /// device id.
    ///
    /// - Throws: with `tooManyDevices` if the account announces all of those that have a session.
    private func makeRoom(for device: PeerDevice, _ draft: inout KeyDraft) async throws(ProtectionError) {
        let prefix = SessionShelf.prefix(device.generation, device.address)
        let names = try await draft.values(beginningWith: prefix).keys
        guard names.count >= EncryptionLimits.devices, !names.contains(SessionShelf.name(device)) else { return }
        for name in names.sorted() {
            guard let id = OMEMODevice(String(name.dropFirst(prefix.count))) else { continue }
            let other = PeerDevice(generation: device.generation, address: device.address, device: id)
            if await context.servers.directory?.announces(other) == true { continue }
            return draft.write(name, nil)
        }
        throw ProtectionError(.tooManyDevices, "The account has sessions with too many devices.")
    }
}
