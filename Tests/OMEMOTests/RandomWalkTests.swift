import Cryptography
import OMEMO
import OMEMOFixtures
import Testing

/// Two of our devices in a network that loses, repeats and reorders, with restarts and restored copies: each message
/// is decrypted to what was encrypted or refused with a reason, and never twice from one state.
@Suite("Random walks of the ratchet", .timeLimit(.minutes(5)))
struct RandomWalkTests {
    private struct Message {
        let key: OutgoingKey
        let plaintext: [UInt8]
    }

    private final class Side {
        let device: Device
        /// Messages on their way to this side; they may be delivered more than once.
        var inbox: [Message] = []
        /// Earlier states of this side.
        var copies: [[UInt8]] = []
        /// What this side has decrypted since it was last restored.
        var read: Set<[UInt8]> = []

        init(_ device: Device) { self.device = device }
    }

    @Test("without restored copies every message that arrives is read once", arguments: OMEMOGeneration.allCases, 1...2)
    func faithful(generation: OMEMOGeneration, seed: UInt64) throws {
        try walk(generation, seed: seed, steps: 800, restores: false)
    }

    @Test("with restored copies a message is read or refused", arguments: OMEMOGeneration.allCases, 1...2)
    func restored(generation: OMEMOGeneration, seed: UInt64) throws {
        try walk(generation, seed: seed + 100, steps: 800, restores: true)
    }

    private func walk(_ generation: OMEMOGeneration, seed: UInt64, steps: Int, restores: Bool) throws {
        let random = SeededCryptography(seed: seed)
        let sides = [
            Side(try Device("alice@example.org", id: 1, cryptography: random)),
            Side(try Device("bob@example.org", id: 2, cryptography: random)),
        ]
        try sides[0].device.initiate(with: sides[1].device.bundle(generation))
        var accepted = 0
        var refused: [OMEMOError.Code: Int] = [:]
        for step in 0..<steps {
            let own = Int(random.next() % 2)
            let (side, peer) = (sides[own], sides[1 - own])
            side.device.now += Int64(random.next() % 600)
            switch random.next() % 16 {
            case 0...6:
                guard side.device.stored != nil else { continue }
                let plaintext = [UInt8]("\(step)")
                let message = Message(key: try side.device.encrypt(plaintext), plaintext: plaintext)
                if random.next() % 10 > 0 { peer.inbox.append(message) }
            case 7...13:
                guard !side.inbox.isEmpty else { continue }
                // Mostly in order.
                let bound = random.next() % 3 == 0 ? UInt64(side.inbox.count) : 1
                let index = Int(random.next() % bound)
                let message = side.inbox[index]
                if random.next() % 8 > 0 { side.inbox.remove(at: index) }
                do {
                    let decryption = try side.device.decrypt(message.key, generation)
                    #expect(decryption.plaintext == message.plaintext, "step \(step)")
                    #expect(side.read.insert(message.plaintext).inserted, "step \(step): read twice")
                    accepted += 1
                } catch let error as OMEMOError {
                    refused[error.code, default: 0] += 1
                    if !restores {
                        #expect(side.read.contains(message.plaintext), "step \(step): \(error) for a new message")
                        // A repeated key exchange finds its one-time key gone when another exchange came between.
                        #expect([.alreadyDecrypted, .counterUsed].contains(error.code), "step \(step)")
                    }
                }
                #expect(try (side.device.stored.map { try OMEMOSession(serialized: $0).skippedKeyCount } ?? 0) <= 1_000)
            case 14:
                if let stored = side.device.stored { side.copies.append(stored) }
                if side.copies.count > 4 { side.copies.removeFirst() }
            default:
                guard restores, random.next() % 8 == 0, let copy = side.copies.first else { continue }
                side.device.stored = copy
                side.read = []
            }
            // A pair that has lost each other makes a new session, as their owner would.
            if restores, refused[.sessionsDiffer, default: 0] > 5 {
                refused[.sessionsDiffer] = 0
                sides[1].device.preKeys = try PreKeyPair.random(
                    count: 25, after: UInt32(step) * 100, using: random)
                try sides[0].device.initiate(with: sides[1].device.bundle(generation))
                for side in sides { side.copies = [] }
            }
        }
        #expect(accepted > steps / 20)
    }
}
