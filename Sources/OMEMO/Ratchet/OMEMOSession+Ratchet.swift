extension OMEMOSession.SendingChain {
    /// Encrypts the next message of the chain.
    mutating func encrypt(
        _ plaintext: [UInt8], _ associated: [UInt8], _ cipher: MessageCipher
    ) throws(OMEMOError) -> RatchetMessage {
        guard counter < .max else { throw OMEMOError(.counterOutOfRange) }
        let step = cipher.chainStep(chain)
        let message = try cipher.seal(
            plaintext, key: step.message, associated: associated, ratchetKey: publicKey, counter: counter,
            previousCount: previousCount)
        chain = step.chain
        counter += 1
        return message
    }

    /// A chain with a new key pair that follows a root key.
    static func following(
        _ root: SecretBytes, _ peerKey: [UInt8], previousCount: UInt32, _ cipher: MessageCipher
    ) throws(OMEMOError) -> (root: SecretBytes, sending: OMEMOSession.SendingChain) {
        let privateKey = SecretBytes(try cipher.cryptography.randomBytes(32))
        guard let publicKey = cipher.cryptography.x25519PublicKey(of: privateKey.bytes) else {
            throw OMEMOError(.invalidKey)
        }
        let step = try cipher.rootStep(root, privateKey, with: peerKey)
        return (
            step.root,
            OMEMOSession.SendingChain(
                privateKey: privateKey, publicKey: publicKey, chain: step.chain, previousCount: previousCount)
        )
    }
}

extension OMEMOSession.Established {
    /// Follows the peer to a new ratchet key; `message` must be of that key.
    static func following(
        _ root: SecretBytes, _ own: OMEMOSession.SendingChain, _ message: RatchetMessage, _ associated: [UInt8],
        now: Int64, _ cipher: MessageCipher
    ) throws(OMEMOError) -> (OMEMOSession.Established, plaintext: [UInt8]) {
        guard message.counter <= OMEMOLimits.skippedMessages else { throw OMEMOError(.tooManySkippedMessages) }
        let received = try cipher.rootStep(root, own.privateKey, with: message.ratchetKey)
        var receiving = ReceivingChain(message.ratchetKey)
        let chain = receiving.skip(to: message.counter, received.chain, now: now, cipher)
        let step = cipher.chainStep(chain)
        guard let plaintext = try cipher.open(message, key: step.message, associated: associated) else {
            throw OMEMOError(.sessionsDiffer)
        }
        receiving.next += 1
        receiving.remember(message)
        receiving.isHeartbeatRequested = message.counter >= OMEMOLimits.heartbeatCounter
        let sent = try OMEMOSession.SendingChain.following(
            received.root, message.ratchetKey, previousCount: own.counter, cipher)
        let result = OMEMOSession.Established(
            root: sent.root, sending: sent.sending, receiving: receiving, chain: step.chain, past: [])
        return (result, plaintext)
    }

    /// Decrypts a message; the caller discards the state if it throws.
    mutating func decrypt(
        _ message: RatchetMessage, _ associated: [UInt8], now: Int64, _ cipher: MessageCipher
    ) throws(OMEMOError) -> OMEMODecryption {
        if message.ratchetKey == receiving.ratchetKey {
            let plaintext = try decryptCurrent(message, associated, now: now, cipher)
            discardKeys(now: now)
            let isLong = message.counter >= OMEMOLimits.heartbeatCounter && !receiving.isHeartbeatRequested
            if isLong { receiving.isHeartbeatRequested = true }
            return OMEMODecryption(
                plaintext: plaintext, emptyMessageDue: isLong ? .longChain : nil, isPeerRestored: false)
        }
        if let index = past.firstIndex(where: { $0.ratchetKey == message.ratchetKey }) {
            let plaintext = try Self.decryptSkipped(message, associated, &past[index], cipher)
            discardKeys(now: now)
            return OMEMODecryption(plaintext: plaintext, emptyMessageDue: nil, isPeerRestored: false)
        }

        var (next, plaintext) = try Self.following(root, sending, message, associated, now: now, cipher)
        // From here on the message is authentic, and so is its count of the chain that ends.
        // libomemo-c and its relatives write one less than the number of messages, in both generations.
        let end = UInt64(message.previousCount) + 1
        let isPeerRestored = end < UInt64(receiving.next)
        if end > UInt64(receiving.next) {
            let last = UInt32(clamping: end)
            if last - receiving.next <= OMEMOLimits.skippedMessages {
                _ = receiving.skip(to: last, chain, now: now, cipher)
                receiving.uncertain = last - 1
            } else {
                // Refusing this message would block the session, so the missing ones are given up.
                (receiving.next, receiving.discardedBelow) = (last, last)
            }
        }
        receiving.end()
        next.past = past + [receiving]
        self = next
        discardKeys(now: now)
        return decryption(plaintext, isPeerRestored: isPeerRestored)
    }

    private mutating func decryptCurrent(
        _ message: RatchetMessage, _ associated: [UInt8], now: Int64, _ cipher: MessageCipher
    ) throws(OMEMOError) -> [UInt8] {
        if message.counter < receiving.next {
            return try Self.decryptSkipped(message, associated, &receiving, cipher)
        }
        guard message.counter < .max else { throw OMEMOError(.counterOutOfRange) }
        guard message.counter - receiving.next <= OMEMOLimits.skippedMessages else {
            throw OMEMOError(.tooManySkippedMessages)
        }
        let reached = receiving.skip(to: message.counter, chain, now: now, cipher)
        let step = cipher.chainStep(reached)
        guard let plaintext = try cipher.open(message, key: step.message, associated: associated) else {
            throw OMEMOError(.notAuthentic)
        }
        chain = step.chain
        receiving.next += 1
        receiving.remember(message)
        return plaintext
    }

    private static func decryptSkipped(
        _ message: RatchetMessage, _ associated: [UInt8], _ receiving: inout ReceivingChain, _ cipher: MessageCipher
    ) throws(OMEMOError) -> [UInt8] {
        guard let index = receiving.skipped.firstIndex(where: { $0.counter == message.counter }) else {
            if let index = receiving.gaps.firstIndex(where: { ($0.first..<$0.end).contains(message.counter) }) {
                return try decrypt(message, associated, inGap: index, of: &receiving, cipher)
            }
            // A counter beyond the end of a past chain was never derived: its sender has a copy of an old session.
            if message.counter >= receiving.next { throw OMEMOError(.sessionsDiffer) }
            throw receiving.refusal(of: message)
        }
        let key = receiving.skipped[index].key
        guard let plaintext = try cipher.open(message, key: key, associated: associated) else {
            throw OMEMOError(.notAuthentic)
        }
        receiving.skipped.remove(at: index)
        receiving.remember(message)
        return plaintext
    }

    /// Decrypts a message of a gap, which becomes two: the messages before and behind it.
    private static func decrypt(
        _ message: RatchetMessage, _ associated: [UInt8], inGap index: Int, of receiving: inout ReceivingChain,
        _ cipher: MessageCipher
    ) throws(OMEMOError) -> [UInt8] {
        let (gap, counter) = (receiving.gaps[index], message.counter)
        let step = cipher.chainStep(cipher.chain(gap.chain, after: counter - gap.first))
        guard let plaintext = try cipher.open(message, key: step.message, associated: associated) else {
            throw OMEMOError(.notAuthentic)
        }
        let parts = [
            ReceivingChain.Gap(first: gap.first, end: counter, chain: gap.chain, stored: gap.stored),
            ReceivingChain.Gap(first: counter + 1, end: gap.end, chain: step.chain, stored: gap.stored),
        ]
        receiving.gaps.replaceSubrange(index...index, with: parts.filter { $0.first < $0.end })
        receiving.remember(message)
        return plaintext
    }

    /// The result of the first message of a receiving chain.
    func decryption(
        _ plaintext: [UInt8], isKeyExchange: Bool = false, isPeerRestored: Bool = false
    ) -> OMEMODecryption {
        OMEMODecryption(
            plaintext: plaintext,
            emptyMessageDue: isKeyExchange ? .keyExchange : receiving.isHeartbeatRequested ? .longChain : nil,
            isPeerRestored: isPeerRestored)
    }

    var skippedKeyCount: Int { past.reduce(receiving.skipped.count) { $0 + $1.skipped.count } + gapCount }

    private var gapCount: Int { past.reduce(receiving.gaps.count) { $0 + $1.gaps.count } }

    /// Discards keys of missing messages that are too old or too many, and chains that are not needed any more.
    mutating func discardKeys(now: Int64) {
        // A clock can be wrong by any amount.
        let oldest = max(now, .min + OMEMOLimits.skippedKeyLifetime) - OMEMOLimits.skippedKeyLifetime
        for index in past.indices { past[index].discard(storedBefore: oldest) }
        receiving.discard(storedBefore: oldest)
        var surplus = skippedKeyCount - OMEMOLimits.skippedKeys
        for index in past.indices where surplus > 0 {
            while surplus > 0, !past[index].skipped.isEmpty {
                past[index].discardOldest()
                surplus -= 1
            }
        }
        while surplus > 0 {
            receiving.discardOldest()
            surplus -= 1
        }
        var surplusGaps = gapCount - OMEMOLimits.gaps
        for index in past.indices where surplusGaps > 0 {
            while surplusGaps > 0, !past[index].gaps.isEmpty {
                past[index].discardGap()
                surplusGaps -= 1
            }
        }
        while surplusGaps > 0 {
            receiving.discardGap()
            surplusGaps -= 1
        }
        for index in past.indices.dropLast(OMEMOLimits.rememberedChains) { past[index].discardUncertain() }
        var removable = past.count - OMEMOLimits.rememberedChains
        past.removeAll { chain in
            guard removable > 0, chain.isComplete else { return false }
            removable -= 1
            return true
        }
    }
}

extension ReceivingChain {
    /// Discards the keys that were stored before a time.
    mutating func discard(storedBefore time: Int64) {
        while let first = skipped.first, first.stored < time { discardOldest() }
        gaps.removeAll { gap in
            guard gap.stored < time else { return false }
            discardedBelow = max(discardedBelow, gap.end)
            return true
        }
    }
}
