import Cryptography
import Foundation
import OMEMO
import Testing

/// Our ratchet against that of libomemo-c: what one encrypts the other decrypts or refuses for a reason that both have.
///
/// With `HONGYAN_LONG=1` each walk has 100,000 steps.
@Suite("With libomemo-c", .timeLimit(.minutes(60)))
struct DifferentialTests {
    private struct Sent<Key> {
        let key: Key
        let plaintext: [UInt8]
        /// The number of the sender's chain.
        let chain: Int
    }

    /// The chains that libomemo-c remembers, less those that may be on their way.
    private static let rememberedChains = 3

    private static var steps: Int {
        ProcessInfo.processInfo.environment["HONGYAN_LONG"] == nil ? 1_500 : 100_000
    }

    @Test("both decrypt and refuse the same messages", arguments: OMEMOGeneration.allCases, [true, false])
    func walk(generation: OMEMOGeneration, isInitiator: Bool) throws {
        let random = SeededCryptography(seed: isInitiator ? 11 : 12)
        let device = try Device("alice@example.org", id: 1)
        let judge = try LibraryJudge(generation)
        if isInitiator { try device.initiate(with: judge.published()) } else { try judge.start(with: device) }
        var toJudge: [Sent<OutgoingKey>] = []
        var toDevice: [Sent<IncomingKey>] = []
        var seenByJudge: Set<[UInt8]> = []
        var seenByDevice: Set<[UInt8]> = []
        var chains = (device: 0, judge: 0)
        var ratchetKeys: (device: [UInt8], judge: [UInt8]) = ([], [])
        var counts = (decrypted: 0, refused: 0)
        for step in 0..<Self.steps {
            let plaintext = [UInt8]("message \(step)")
            switch random.next() % 12 {
            case 0...2:
                guard device.stored != nil else { continue }
                let key = try device.encrypt(plaintext)
                let read = try IncomingKey(key.bytes, isKeyExchange: key.isKeyExchange, generation: generation)
                if read.ratchetKey != ratchetKeys.device {
                    (chains.device, ratchetKeys.device) = (chains.device + 1, read.ratchetKey)
                }
                if random.next() % 12 > 0 { toJudge.append(Sent(key: key, plaintext: plaintext, chain: chains.device)) }
            case 3...5:
                guard !isInitiator || !seenByJudge.isEmpty else { continue }
                let key = try judge.encrypt(plaintext)
                if key.ratchetKey != ratchetKeys.judge {
                    (chains.judge, ratchetKeys.judge) = (chains.judge + 1, key.ratchetKey)
                }
                if random.next() % 12 > 0 { toDevice.append(Sent(key: key, plaintext: plaintext, chain: chains.judge)) }
            case 6...8:
                toJudge.removeAll { $0.chain < chains.device - Self.rememberedChains }
                guard !toJudge.isEmpty else { continue }
                let index = Int(random.next() % min(random.next() % 2 == 0 ? 1 : 8, UInt64(toJudge.count)))
                let sent = toJudge[index]
                if random.next() % 8 > 0 { toJudge.remove(at: index) }
                let isNew = !seenByJudge.contains(sent.plaintext)
                do {
                    let read = try judge.decrypt(sent.key)
                    #expect(read == sent.plaintext && isNew, "step \(step)")
                    seenByJudge.insert(sent.plaintext)
                    counts.decrypted += 1
                } catch {
                    #expect(!isNew, "step \(step): \(error)")
                    counts.refused += 1
                }
            case 9...11:
                guard !toDevice.isEmpty else { continue }
                let index = Int(random.next() % min(random.next() % 2 == 0 ? 1 : 8, UInt64(toDevice.count)))
                let sent = toDevice[index]
                if random.next() % 8 > 0 { toDevice.remove(at: index) }
                let isNew = !seenByDevice.contains(sent.plaintext)
                do {
                    let read = try device.decrypt(sent.key).plaintext
                    #expect(read == sent.plaintext && isNew, "step \(step)")
                    seenByDevice.insert(sent.plaintext)
                    counts.decrypted += 1
                } catch {
                    #expect(!isNew && (error as? OMEMOError)?.code == .alreadyDecrypted, "step \(step): \(error)")
                    counts.refused += 1
                }
            default: break
            }
        }
        #expect(counts.decrypted > Self.steps / 5 && counts.refused > 0)
    }

    @Test("a restored copy of the other side is recognised", arguments: OMEMOGeneration.allCases)
    func restored(generation: OMEMOGeneration) throws {
        let device = try Device("alice@example.org", id: 1)
        let judge = try LibraryJudge(generation)
        try device.initiate(with: judge.published())
        _ = try judge.decrypt(device.encrypt([1]))
        _ = try device.decrypt(judge.encrypt([2]))
        try judge.save()
        for _ in 0..<4 { _ = try device.decrypt(judge.encrypt([3])) }
        try judge.load()
        #expect(throws: OMEMOError(.counterReused)) { try device.decrypt(judge.encrypt([4])) }
        _ = try judge.decrypt(device.encrypt([5]))
        #expect(try device.decrypt(judge.encrypt([6])).isPeerRestored)
    }

    @Test("a changed message is refused by both", arguments: OMEMOGeneration.allCases)
    func changed(generation: OMEMOGeneration) throws {
        let device = try Device("alice@example.org", id: 1)
        let judge = try LibraryJudge(generation)
        try device.initiate(with: judge.published())
        _ = try judge.decrypt(device.encrypt([1]))
        _ = try device.decrypt(judge.encrypt([2]))
        let key = try device.encrypt([3])
        for index in stride(from: 0, to: key.bytes.count, by: 7) {
            var bytes = key.bytes
            bytes[index] ^= 1
            // The library does not read what follows, or reads a length that happens to be right: both ways it refuses.
            #expect(throws: LibraryJudge.Refusal.self) {
                try judge.decrypt(OutgoingKey(bytes: bytes, isKeyExchange: false))
            }
        }
        #expect(try judge.decrypt(key) == [3])
    }
}

extension IncomingKey {
    var ratchetKey: [UInt8] {
        switch self {
        case .keyExchange(let exchange): exchange.message.ratchetKey
        case .message(let message): message.ratchetKey
        }
    }
}
