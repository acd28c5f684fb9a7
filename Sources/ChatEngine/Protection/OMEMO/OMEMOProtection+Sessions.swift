internal import MessageSemantics
internal import OMEMO

/// The sessions with other devices: decrypting with one, and accepting one.
extension OMEMOProtection {
    struct Decrypted {
        let decryption: OMEMODecryption
        let identity: IdentityKey
    }

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
        guard !shelf.sessions.isEmpty else {
            throw ProtectionError(.keyMissing, "There is no session with the device.")
        }
        var failure: OMEMOError?
        for (index, bytes) in shelf.sessions.enumerated() {
            do throws(OMEMOError) {
                var session = try OMEMOSession(serialized: bytes)
                let decryption = try session.messageReceived(ratchet, now: seconds, using: cryptography)
                shelf.put(session.serialized, replacing: index)
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
        for bytes in shelf.sessions {
            guard let session = try? OMEMOSession(serialized: bytes) else { continue }
            if session.isMade(by: exchange) { return true }
        }
        return false
    }

    private func accept(
        _ exchange: KeyExchangeMessage, by device: PeerDevice, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> (session: [UInt8], result: Decrypted) {
        let own = try own()
        let name = OwnPreKey.name(exchange.preKey)
        var preKey = try await draft.value(name).map { record throws(ProtectionError) in
            try OwnPreKey(record, using: cryptography)
        }
        if let known = preKey, known.exchanges.contains(exchange.ephemeralKey) {
            // A device repeats its exchange in each message until it is answered: this may be a message that was never
            // decrypted here.
            throw ProtectionError(.keyMissing, "The key exchange was accepted before, and its session is gone.")
        }
        do throws(OMEMOError) {
            let identity = try exchange.identity(using: cryptography)
            let accepted = try OMEMOSession.accept(
                exchange, by: own.identity, signedPreKey: own.keys.signedKey(exchange.signedPreKey),
                preKey: preKey?.pair, now: seconds, using: cryptography)
            if var used = preKey.take(), used.exchanges.count < OwnPreKey.exchangeLimit {
                if used.used == 0 { used.used = max(seconds, 1) }
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
}
