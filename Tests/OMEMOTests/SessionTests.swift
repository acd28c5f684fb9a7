import Cryptography
import OMEMO
import OMEMOFixtures
import Testing

@Suite("A session of two devices", .timeLimit(.minutes(5)))
struct SessionTests {
    /// A session in which both sides have sent a message.
    private func pair(_ generation: OMEMOGeneration) throws -> (alice: Device, bob: Device) {
        let alice = try Device("alice@example.org", id: 1)
        let bob = try Device("bob@example.org", id: 2)
        try alice.initiate(with: bob.bundle(generation))
        _ = try bob.decrypt(alice.encrypt([UInt8]("1")), generation)
        _ = try alice.decrypt(bob.encrypt([UInt8]("2")), generation)
        return (alice, bob)
    }

    private func refusal(_ body: () throws -> Void) -> OMEMOError.Code? {
        do { try body() } catch { return (error as? OMEMOError)?.code }
        return nil
    }

    @Test("each message repeats the key exchange until the other device answers", arguments: OMEMOGeneration.allCases)
    func keyExchange(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 1)
        let bob = try Device("bob@example.org", id: 2)
        try alice.initiate(with: bob.bundle(generation))
        let first = try alice.encrypt([UInt8]("one"))
        let second = try alice.encrypt([UInt8]("two"))
        #expect(first.isKeyExchange && second.isKeyExchange)
        #expect(try !alice.session().isEstablished)

        let decryption = try bob.decrypt(first, generation)
        #expect(decryption.plaintext == [UInt8]("one"))
        #expect(decryption.emptyMessageDue == .keyExchange)
        #expect(bob.preKeys.count == 24)
        let repeated = try bob.decrypt(second, generation)
        #expect(repeated.plaintext == [UInt8]("two"))
        #expect(repeated.emptyMessageDue == nil)
        #expect(bob.preKeys.count == 24, "The same exchange uses no second key.")
        #expect(try bob.session().peer.fingerprint == alice.identity.publicKey.fingerprint)

        let answer = try bob.encrypt(EncryptedPayload.emptyKey)
        #expect(!answer.isKeyExchange)
        #expect(try alice.decrypt(answer, generation).plaintext == EncryptedPayload.emptyKey)
        #expect(try alice.session().isEstablished)
        #expect(try !alice.encrypt([UInt8]("three")).isKeyExchange)
    }

    @Test("a message is decrypted once", arguments: OMEMOGeneration.allCases)
    func once(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        let message = try alice.encrypt([UInt8]("3"))
        let later = try alice.encrypt([UInt8]("4"))
        _ = try bob.decrypt(message, generation)
        #expect(refusal { _ = try bob.decrypt(message, generation) } == .alreadyDecrypted)
        _ = try bob.decrypt(later, generation)
        _ = try alice.decrypt(bob.encrypt([]), generation)
        _ = try bob.decrypt(alice.encrypt([]), generation)
        #expect(refusal { _ = try bob.decrypt(later, generation) } == .alreadyDecrypted, "Of an earlier chain.")
    }

    @Test("messages are decrypted in any order", arguments: OMEMOGeneration.allCases)
    func order(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        let early = try (0..<5).map { try alice.encrypt([UInt8]("early \($0)")) }
        _ = try bob.decrypt(early[1], generation)
        _ = try alice.decrypt(bob.encrypt([]), generation)
        let late = try (0..<5).map { try alice.encrypt([UInt8]("late \($0)")) }
        #expect(try bob.decrypt(late[3], generation).plaintext == [UInt8]("late 3"))
        // Two of them may not exist; see ``RatchetMessage/previousCount``.
        let count = try bob.session().skippedKeyCount
        #expect(count == 9)
        for index in [4, 0, 2, 3] {
            #expect(try bob.decrypt(early[index], generation).plaintext == [UInt8]("early \(index)"))
        }
        for index in [0, 4, 2, 1] {
            #expect(try bob.decrypt(late[index], generation).plaintext == [UInt8]("late \(index)"))
        }
    }

    @Test("a changed byte is refused with a reason, whichever it is", arguments: OMEMOGeneration.allCases)
    func changed(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        let message = try alice.encrypt([UInt8]("text"))
        for index in message.bytes.indices {
            for bit in [0, 7] {
                var bytes = message.bytes
                bytes[index] ^= 1 << bit
                let before = bob.stored
                let code = refusal {
                    _ = try bob.decrypt(
                        IncomingKey(bytes, isKeyExchange: false, generation: generation))
                }
                #expect(code != nil, "byte \(index), bit \(bit)")
                #expect(bob.stored == before)
            }
        }
        #expect(try bob.decrypt(message, generation).plaintext == [UInt8]("text"))
    }

    @Test("a long chain asks for an empty message once", arguments: OMEMOGeneration.allCases)
    func heartbeat(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        for counter in 0..<60 {
            let decryption = try bob.decrypt(alice.encrypt([1]), generation)
            #expect(decryption.emptyMessageDue == (counter == 53 ? .longChain : nil), "message \(counter)")
        }
        _ = try alice.decrypt(bob.encrypt([]), generation)
        #expect(try alice.session().sendingCounter == 0)
        for _ in 0..<55 { _ = try alice.encrypt([]) }
        #expect(try bob.decrypt(alice.encrypt([]), generation).emptyMessageDue == .longChain, "The first of a chain.")
    }

    @Test("at most 1,000 keys of missing messages are stored, and the oldest ones go first")
    func skipped() throws {
        let (alice, bob) = try pair(.current)
        let messages = try (0..<1_003).map { _ in try alice.encrypt([1]) }
        _ = try bob.decrypt(messages[1_000], .current)
        #expect(try bob.session().skippedKeyCount == 1_000)
        _ = try bob.decrypt(messages[1_002], .current)
        #expect(try bob.session().skippedKeyCount == 1_000)
        #expect(refusal { _ = try bob.decrypt(messages[0], .current) } == .keyDiscarded)
        #expect(try bob.decrypt(messages[1], .current).plaintext == [1])
        #expect(try bob.decrypt(messages[1_001], .current).plaintext == [1])
    }

    @Test("a device that was away reads thousands of messages, the newest first", arguments: OMEMOGeneration.allCases)
    func away(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        let messages = try (0..<4_002).map { number in try alice.encrypt([UInt8(number & 255)]) }
        #expect(refusal { _ = try bob.decrypt(messages[4_001], generation) } == .tooManySkippedMessages)
        func read(_ number: Int) throws -> Bool {
            try bob.decrypt(messages[number], generation).plaintext == [UInt8(number & 255)]
        }
        // Archives are read in pages, the newest one first, each from its oldest message on.
        for start in stride(from: 3_901, through: 1, by: -100) {
            // Copies that are damaged or repeated change nothing.
            var damaged = messages[start]
            damaged = OutgoingKey(
                bytes: damaged.bytes.dropLast() + [damaged.bytes.last! ^ 1], isKeyExchange: damaged.isKeyExchange)
            #expect(refusal { _ = try bob.decrypt(damaged, generation) } != nil)
            for number in start..<start + 100 { #expect(try read(number)) }
            #expect(refusal { _ = try bob.decrypt(messages[start], generation) } == .counterUsed)
            #expect(refusal { _ = try bob.decrypt(messages[start + 99], generation) } == .alreadyDecrypted)
            // One may not exist, of the chain before.
            #expect(try bob.session().skippedKeyCount <= 3)
        }
        #expect(try read(0) && read(4_001))
        #expect(try bob.session().skippedKeyCount <= 1)
        #expect((bob.stored?.count ?? 0) < 4_000)
    }

    @Test("many messages out of the middle leave a bounded number of keys, and these end after 30 days")
    func scattered() throws {
        let (alice, bob) = try pair(.current)
        let messages = try (0..<4_001).map { _ in try alice.encrypt([1]) }
        _ = try bob.decrypt(messages[4_000], .current)
        for number in stride(from: 3_950, to: 0, by: -50) { _ = try bob.decrypt(messages[number], .current) }
        #expect(try bob.session().skippedKeyCount <= 33)
        for number in [1, 3_999] { #expect(try bob.decrypt(messages[number], .current).plaintext == [1]) }
        #expect(refusal { _ = try bob.decrypt(messages[75], .current) } == .keyDiscarded)
        var session = try bob.session()
        session.timePassed(now: bob.now + OMEMOLimits.skippedKeyLifetime + 1)
        #expect(session.skippedKeyCount == 0)
    }

    @Test("the end of a long chain is found by the next one")
    func longEnd() throws {
        let (alice, bob) = try pair(.current)
        _ = try bob.decrypt(alice.encrypt([0]), .current)
        let messages = try (0..<1_500).map { _ in try alice.encrypt([1]) }
        _ = try alice.decrypt(bob.encrypt([2]), .current)
        #expect(try bob.decrypt(alice.encrypt([3]), .current).plaintext == [3])
        for message in messages { #expect(try bob.decrypt(message, .current).plaintext == [1]) }
        #expect(try bob.session().skippedKeyCount <= 2, "One of each chain that may not exist.")
    }

    @Test("the key of a missing message is discarded after 30 days", arguments: [true, false])
    func expired(byMessage: Bool) throws {
        let (alice, bob) = try pair(.current)
        let missing = try alice.encrypt([1])
        _ = try bob.decrypt(alice.encrypt([2]), .current)
        bob.now += OMEMOLimits.skippedKeyLifetime
        var session = try bob.session()
        session.timePassed(now: bob.now)
        #expect(session.skippedKeyCount == 2, "One of them may not exist.")
        bob.now += 1
        if byMessage {
            _ = try bob.decrypt(alice.encrypt([3]), .current)
        } else {
            session.timePassed(now: bob.now)
            bob.stored = session.serialized
        }
        #expect(try bob.session().skippedKeyCount == 0)
        #expect(refusal { _ = try bob.decrypt(missing, .current) } == .keyDiscarded)
    }

    @Test("a clock that is wrong by any amount does no harm", arguments: [Int64.min, 0, Int64.max])
    func clock(now: Int64) throws {
        let (alice, bob) = try pair(.current)
        _ = try alice.encrypt([1])
        bob.now = now
        #expect(try bob.decrypt(alice.encrypt([2]), .current).plaintext == [2])
        bob.now = 1_800_000_000
        #expect(try bob.decrypt(alice.encrypt([3]), .current).plaintext == [3])
    }

    @Test("a peer that works with an old copy is recognised", arguments: OMEMOGeneration.allCases)
    func restoredPeer(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        let copy = alice.stored
        for _ in 0..<3 { _ = try bob.decrypt(alice.encrypt([1]), generation) }
        alice.stored = copy
        #expect(refusal { _ = try bob.decrypt(alice.encrypt([2]), generation) } == .counterReused)
        // The copy knows the key with which Bob sends now, so it follows him.
        _ = try alice.decrypt(bob.encrypt([3]), generation)
        let decryption = try bob.decrypt(alice.encrypt([4]), generation)
        #expect(decryption.plaintext == [4])
        #expect(decryption.isPeerRestored)
        #expect(try !bob.decrypt(alice.encrypt([5]), generation).isPeerRestored)
    }

    @Test(
        "an own old copy is recognised by the first message that it cannot follow", arguments: OMEMOGeneration.allCases)
    func restoredSelf(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        let copy = bob.stored
        for _ in 0..<2 {
            _ = try bob.decrypt(alice.encrypt([1]), generation)
            _ = try alice.decrypt(bob.encrypt([2]), generation)
        }
        let message = try alice.encrypt([3])
        bob.stored = copy
        #expect(refusal { _ = try bob.decrypt(message, generation) } == .sessionsDiffer)
    }

    @Test("a key exchange needs the keys it names", arguments: OMEMOGeneration.allCases)
    func missingKeys(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 1)
        let bob = try Device("bob@example.org", id: 2)
        try alice.initiate(with: bob.bundle(generation))
        let key = try alice.encrypt([1])
        let exchange = try KeyExchangeMessage(key.bytes, generation: generation)
        func accept(_ signed: PreKeyPair?, _ preKey: PreKeyPair?) -> OMEMOError.Code? {
            refusal {
                _ = try OMEMOSession.accept(
                    exchange, by: bob.identity, signedPreKey: signed, preKey: preKey, now: 0,
                    using: bob.cryptography)
            }
        }
        let preKey = bob.preKeys.first { $0.id == exchange.preKey }
        #expect(accept(nil, preKey) == .unknownSignedPreKey)
        #expect(accept(bob.signedPreKey.pair, nil) == .unknownPreKey)
        #expect(accept(bob.signedPreKey.pair, bob.preKeys.first { $0.id != exchange.preKey }) == .unknownPreKey)
        let other = try PreKeyPair.random(id: bob.signedPreKey.pair.id, using: bob.cryptography)
        #expect(accept(other, preKey) == .sessionsDiffer, "A key with the same number.")
        #expect(accept(bob.signedPreKey.pair, preKey) == nil)
    }

    @Test("a long exchange leaves few keys behind", arguments: OMEMOGeneration.allCases)
    func growth(generation: OMEMOGeneration) throws {
        let (alice, bob) = try pair(generation)
        for _ in 0..<100 {
            #expect(try bob.decrypt(alice.encrypt([1]), generation).plaintext == [1])
            #expect(try alice.decrypt(bob.encrypt([2]), generation).plaintext == [2])
        }
        #expect(try bob.session().skippedKeyCount <= 32)
        #expect((bob.stored?.count ?? 0) < 8_000)
    }

    @Test("a message of the other generation is refused")
    func generations() throws {
        let (alice, _) = try pair(.current)
        let (_, bob) = try pair(.legacy)
        let message = try RatchetMessage(alice.encrypt([1]).bytes, generation: .current)
        var session = try bob.session()
        var code: OMEMOError.Code?
        do { _ = try session.messageReceived(message, now: 0, using: bob.cryptography) } catch { code = error.code }
        #expect(code == .wrongSession)
    }

    @Test("a chain that claims billions of messages does not block the session")
    func giantCount() throws {
        let (alice, bob) = try pair(.current)
        _ = try bob.decrypt(alice.encrypt([0]), .current)
        // Alice sent more in her previous chain than Bob can ever get.
        for _ in 0..<4_500 { _ = try alice.encrypt([1]) }
        let lost = try alice.encrypt([1])
        _ = try alice.decrypt(bob.encrypt([2]), .current)
        #expect(try bob.decrypt(alice.encrypt([3]), .current).plaintext == [3])
        #expect(try bob.session().skippedKeyCount <= 1, "One that may not exist, of the chain before.")
        #expect(refusal { _ = try bob.decrypt(lost, .current) } == .keyDiscarded)
    }
}
