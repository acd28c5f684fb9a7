import Cryptography
import OMEMO
import OMEMOFixtures
import Testing

/// Our ratchet against that of libomemo-c: what one encrypts the other decrypts or refuses for a reason that both have.
///
/// `Scripts/differential` does the walk with 100,000 steps.
@Suite("With libomemo-c", .timeLimit(.minutes(5)))
struct DifferentialTests {
    @Test("both decrypt and refuse the same messages", arguments: OMEMOGeneration.allCases, [true, false])
    func walk(generation: OMEMOGeneration, isInitiator: Bool) throws {
        let walk = DifferentialWalk(generation, isInitiator: isInitiator, seed: isInitiator ? 11 : 12, steps: 1_500)
        let result = try walk.run()
        #expect(result.differences.isEmpty)
        #expect(result.decrypted > walk.steps / 5 && result.refused > 0)
    }

    @Test("a restored copy of the other side is recognised", arguments: OMEMOGeneration.allCases, [4, 30, 70])
    func restored(generation: OMEMOGeneration, count: Int) throws {
        let device = try Device("alice@example.org", id: 1)
        let judge = try LibraryJudge(generation)
        try device.initiate(with: judge.published())
        _ = try judge.decrypt(device.encrypt([1]))
        _ = try device.decrypt(judge.encrypt([2]))
        try judge.save()
        for _ in 0..<count { _ = try device.decrypt(judge.encrypt([3])) }
        try judge.load()
        // The codes of the last 64 messages are remembered.
        let isRemembered = count < 64
        #expect(throws: OMEMOError(isRemembered ? .counterReused : .counterUsed)) {
            try device.decrypt(judge.encrypt([4]))
        }
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
