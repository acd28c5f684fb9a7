import Cryptography
import OMEMO
import OMEMOFixtures
import Testing

@Suite("With twomemo and oldmemo", .timeLimit(.minutes(5)))
struct JudgeTests {
    @Test("both sides read each other in a session that this side made", arguments: OMEMOGeneration.allCases)
    func initiated(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 0x7fff_ffff)
        let judge = try Judge(generation, "bob@example.org", id: 27_183)
        let published = try judge.published()
        #expect(published.devices.devices.map(\.id.number) == [27_183, 7])
        try alice.initiate(with: published.bundle)
        for text in ["one", "two: 鸿雁", " "] {
            let element = try alice.element([UInt8](text), for: judge, generation)
            #expect(element.keys.allSatisfy { $0.isKeyExchange })
            #expect(try judge.decrypt(element, from: alice) == [UInt8](text))
        }
        #expect(try alice.decrypt(judge.encrypt(nil, for: alice)) == nil)
        try converse(alice, judge, generation)
    }

    @Test("both sides read each other in a session that the other side made", arguments: OMEMOGeneration.allCases)
    func accepted(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 1)
        let judge = try Judge(generation, "bob@example.org", id: 2)
        let first = try judge.encrypt([UInt8]("one"), for: alice, bundle: alice.bundle(generation))
        #expect(first.keys.allSatisfy { $0.isKeyExchange })
        let second = try judge.encrypt([UInt8]("two"), for: alice)
        #expect(try alice.decrypt(second) == [UInt8]("two"), "The second arrives first.")
        #expect(try alice.decrypt(first) == [UInt8]("one"))
        #expect(try judge.decrypt(alice.element(nil, for: judge, generation), from: alice) == nil)
        try converse(alice, judge, generation)
    }

    /// A conversation in which messages arrive late, in another order, or never.
    private func converse(_ alice: Device, _ judge: Judge, _ generation: OMEMOGeneration) throws {
        let random = SeededCryptography(seed: 5)
        var toJudge: [(OMEMOElement, [UInt8])] = []
        var toAlice: [(OMEMOElement, [UInt8])] = []
        for step in 0..<150 {
            let plaintext = [UInt8]("message \(step)")
            switch random.next() % 5 {
            case 0: toJudge.append((try alice.element(plaintext, for: judge, generation), plaintext))
            case 1: toAlice.append((try judge.encrypt(plaintext, for: alice), plaintext))
            case 2 where !toJudge.isEmpty:
                let (element, expected) = toJudge.remove(at: Int(random.next() % UInt64(toJudge.count)))
                if random.next() % 8 == 0 { continue }
                #expect(try judge.decrypt(element, from: alice) == expected, "step \(step)")
            case 3 where !toAlice.isEmpty:
                let (element, expected) = toAlice.remove(at: Int(random.next() % UInt64(toAlice.count)))
                if random.next() % 8 == 0 { continue }
                #expect(try alice.decrypt(element) == expected, "step \(step)")
                let stored = alice.stored
                #expect(throws: OMEMOError(.alreadyDecrypted)) { try alice.decrypt(element) }
                #expect(alice.stored == stored)
            default: break
            }
        }
        for (element, expected) in toJudge { #expect(try judge.decrypt(element, from: alice) == expected) }
        for (element, expected) in toAlice.reversed() { #expect(try alice.decrypt(element) == expected) }
    }

    @Test("a changed message of the other side is refused", arguments: OMEMOGeneration.allCases)
    func changed(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 1)
        let judge = try Judge(generation, "bob@example.org", id: 2)
        let element = try judge.encrypt([UInt8]("one"), for: alice, bundle: alice.bundle(generation))
        var changed = element
        changed.payload?[0] ^= 1
        let keys = alice.preKeys
        #expect(throws: OMEMOError(.damagedPayload)) { try alice.decrypt(changed) }
        (alice.preKeys, alice.stored) = (keys, nil)
        changed = element
        let last = changed.keys[0].bytes.count - 1
        changed.keys[0].bytes[last] ^= 1
        #expect(throws: OMEMOError.self) { try alice.decrypt(changed) }
        #expect(try alice.decrypt(element) == [UInt8]("one"))
    }

    @Test("a message that was encrypted for another identity is refused", arguments: OMEMOGeneration.allCases)
    func forged(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 1)
        let mallory = try Device("mallory@example.org", id: 3)
        let judge = try Judge(generation, "bob@example.org", id: 2)
        let forged = try OMEMOBundle(
            generation, identity: mallory.identity, signedPreKey: alice.signedPreKey, preKeys: alice.preKeys,
            using: alice.cryptography)
        // The bundle is valid for Mallory; what matters is that Alice's identity key is not in it.
        #expect(try forged.verified(using: alice.cryptography).identityKey == mallory.identity.publicKey)
        let element = try judge.encrypt([1], for: alice, bundle: forged)
        #expect(throws: OMEMOError(.sessionsDiffer)) { try alice.decrypt(element) }
    }
}
