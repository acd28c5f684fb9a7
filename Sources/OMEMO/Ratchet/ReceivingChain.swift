/// The messages of one ratchet key of the peer: which were decrypted, and the keys of those that are missing.
struct ReceivingChain: Sendable {
    struct SkippedKey: Sendable {
        let counter: UInt32
        let key: SecretBytes
        /// When it was stored, in seconds since 1970.
        let stored: Int64
    }

    /// Missing messages in a row that are too many to store a key for each: the key of the chain at the first one gives
    /// those of all, and of all later messages of the chain. So a gap costs forward secrecy until it is filled or too old.
    struct Gap: Sendable {
        let first: UInt32
        /// The counter behind the last one.
        let end: UInt32
        let chain: SecretBytes
        /// When it was stored, in seconds since 1970.
        let stored: Int64

        var count: UInt32 { end - first }
    }

    /// What remains of a decrypted message to tell a repetition from a reused counter.
    struct Seen: Sendable, Hashable {
        let counter: UInt32
        let code: [UInt8]
    }

    let ratchetKey: [UInt8]
    /// The counter of the next message in order; all keys below were derived, or are in a gap.
    var next: UInt32 = 0
    /// In the order of their counters.
    var skipped: [SkippedKey] = []
    /// In the order of their counters.
    var gaps: [Gap] = []
    /// Missing messages below this counter may have lost their keys.
    var discardedBelow: UInt32 = 0
    /// The counter of a stored key whose message may not exist; see ``RatchetMessage/previousCount``.
    var uncertain: UInt32?
    /// The last decrypted messages, the newest last.
    var seen: [Seen] = []
    /// Whether the owner was told to answer this chain with an empty message.
    var isHeartbeatRequested = false

    init(_ ratchetKey: [UInt8]) { self.ratchetKey = ratchetKey }

    /// Derives and stores the keys below `counter`; returns the chain key at `counter`.
    mutating func skip(
        to counter: UInt32, _ chain: SecretBytes, now: Int64, _ cipher: MessageCipher
    ) -> SecretBytes {
        var chain = chain
        if counter > next, counter - next > OMEMOLimits.skippedKeys {
            gaps.append(Gap(first: next, end: counter, chain: chain, stored: now))
            chain = cipher.chain(chain, after: counter - next)
            next = counter
        }
        while next < counter {
            let step = cipher.chainStep(chain)
            skipped.append(SkippedKey(counter: next, key: step.message, stored: now))
            chain = step.chain
            next += 1
        }
        return chain
    }

    /// Remembers that a message was decrypted.
    mutating func remember(_ message: RatchetMessage) {
        seen.append(Seen(counter: message.counter, code: Array(message.code.prefix(8))))
        if seen.count > OMEMOLimits.rememberedCodes { seen.removeFirst() }
    }

    /// The chain is not the current one any more.
    mutating func end() { seen.removeFirst(max(0, seen.count - OMEMOLimits.rememberedPastCodes)) }

    /// Discards the oldest skipped key.
    mutating func discardOldest() {
        guard !skipped.isEmpty else { return }
        let key = skipped.removeFirst()
        discardedBelow = max(discardedBelow, key.counter + 1)
    }

    /// Discards the gap with the fewest messages: most others are probably on their way.
    mutating func discardGap() {
        guard let index = gaps.indices.min(by: { gaps[$0].count < gaps[$1].count }) else { return }
        discardedBelow = max(discardedBelow, gaps.remove(at: index).end)
    }

    /// Whether no key of a missing message is stored.
    var isComplete: Bool { skipped.isEmpty && gaps.isEmpty }

    /// Discards the key of a message that probably does not exist.
    mutating func discardUncertain() {
        guard let counter = uncertain else { return }
        skipped.removeAll { $0.counter == counter }
        uncertain = nil
    }

    /// Why a message whose key is not here any more cannot be decrypted.
    func refusal(of message: RatchetMessage) -> OMEMOError {
        if let seen = seen.last(where: { $0.counter == message.counter }) {
            return OMEMOError(seen.code == Array(message.code.prefix(8)) ? .alreadyDecrypted : .counterReused)
        }
        return OMEMOError(message.counter < discardedBelow ? .keyDiscarded : .counterUsed)
    }
}
