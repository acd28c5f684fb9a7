internal import Cryptography
package import OMEMO

/// A random walk of a conversation between a device of ours and one of libomemo-c, over a network that loses, repeats
/// and reorders messages. Both sides read their session from its stored form at each step, as after a restart.
package struct DifferentialWalk {
    package struct Result: Sendable {
        package var decrypted = 0
        /// Repeated messages that were refused.
        package var refused = 0
        /// The steps at which the two sides did not do the same.
        package var differences: [String] = []
    }

    private struct Sent<Key> {
        let key: Key
        let plaintext: [UInt8]
        /// The number of the sender's chain.
        let chain: Int
    }

    /// The messages that one side has sent and the other has not taken from the network.
    private struct Way<Key> {
        var sent: [Sent<Key>] = []
        var seen: Set<[UInt8]> = []
        private var chain = 0
        private var ratchetKey: [UInt8] = []

        mutating func send(_ key: Key, of ratchetKey: [UInt8], _ plaintext: [UInt8], _ random: SeededCryptography) {
            if ratchetKey != self.ratchetKey { (chain, self.ratchetKey) = (chain + 1, ratchetKey) }
            guard random.next() % 12 > 0 else { return }
            sent.append(Sent(key: key, plaintext: plaintext, chain: chain))
        }

        /// One of the messages, mostly in order; most of them only once.
        mutating func next(_ random: SeededCryptography) -> Sent<Key>? {
            guard !sent.isEmpty else { return nil }
            let index = Int(random.next() % min(random.next() % 2 == 0 ? 1 : 8, UInt64(sent.count)))
            let message = sent[index]
            if random.next() % 8 > 0 { sent.remove(at: index) }
            return message
        }

        mutating func forgetChains(before count: Int) { sent.removeAll { $0.chain < chain - count } }
    }

    /// The chains that libomemo-c remembers, less those that may be on their way.
    private static let rememberedChains = 3
    /// Differences after which the walk ends: one is usually followed by others.
    private static let maximumDifferences = 10

    package let generation: OMEMOGeneration
    package let isInitiator: Bool
    package let seed: UInt64
    package let steps: Int

    package init(_ generation: OMEMOGeneration, isInitiator: Bool, seed: UInt64, steps: Int) {
        (self.generation, self.isInitiator, self.seed, self.steps) = (generation, isInitiator, seed, steps)
    }

    package func run() throws -> Result {
        let random = SeededCryptography(seed: seed)
        let device = try Device("alice@example.org", id: 1)
        let judge = try LibraryJudge(generation)
        if isInitiator { try device.initiate(with: judge.published()) } else { try judge.start(with: device) }
        var toJudge = Way<OutgoingKey>()
        var toDevice = Way<IncomingKey>()
        var result = Result()
        for step in 0..<steps where result.differences.count < Self.maximumDifferences {
            let plaintext = Array("message \(step)".utf8)
            switch random.next() % 12 {
            case 0...2:
                guard device.stored != nil else { continue }
                let key = try device.encrypt(plaintext)
                let read = try IncomingKey(key.bytes, isKeyExchange: key.isKeyExchange, generation: generation)
                toJudge.send(key, of: read.ratchetKey, plaintext, random)
            case 3...5:
                guard !isInitiator || !toJudge.seen.isEmpty else { continue }
                let key = try judge.encrypt(plaintext)
                toDevice.send(key, of: key.ratchetKey, plaintext, random)
            case 6...8:
                toJudge.forgetChains(before: Self.rememberedChains)
                guard let sent = toJudge.next(random) else { continue }
                let isNew = !toJudge.seen.contains(sent.plaintext)
                do {
                    let read = try judge.decrypt(sent.key)
                    result.decrypted += 1
                    toJudge.seen.insert(sent.plaintext)
                    if read != sent.plaintext || !isNew { result.differences.append("step \(step): read \(read)") }
                } catch {
                    result.refused += 1
                    if isNew { result.differences.append("step \(step): libomemo-c: \(error)") }
                }
            default:
                guard let sent = toDevice.next(random) else { continue }
                let isNew = !toDevice.seen.contains(sent.plaintext)
                do {
                    let read = try device.decrypt(sent.key).plaintext
                    result.decrypted += 1
                    toDevice.seen.insert(sent.plaintext)
                    if read != sent.plaintext || !isNew { result.differences.append("step \(step): read \(read)") }
                } catch let error as OMEMOError {
                    result.refused += 1
                    let isRepeated = [.alreadyDecrypted, .counterUsed].contains(error.code)
                    if isNew || !isRepeated { result.differences.append("step \(step): \(error)") }
                }
            }
        }
        return result
    }
}

extension IncomingKey {
    fileprivate var ratchetKey: [UInt8] {
        switch self {
        case .keyExchange(let exchange): exchange.message.ratchetKey
        case .message(let message): message.ratchetKey
        }
    }
}
