import Cryptography
import Glibc
import OMEMO
import OMEMOFixtures

/// Measures one message for several devices, in processor time for each message: what the sender does, and what one
/// receiver does. A session is read from its stored form before each operation and stored after it.
func measureEncryption(_ generation: OMEMOGeneration, devices: Int, messages: Int) throws {
    let plaintext = [UInt8](repeating: UInt8(ascii: "a"), count: 600)
    let own = try Party(generation, count: devices)
    let others = try (0..<devices).map { _ in try Party(generation, count: 1) }
    for (index, other) in others.enumerated() { try own.connect(index, to: other) }

    var sent: [Sealed] = []
    let encrypt = try average(messages) { sent.append(try own.seal(plaintext)) }
    var next = 0
    let decrypt = try average(messages) {
        try others[0].open(sent[next], with: 0)
        next += 1
    }
    // Each side in turn: every message is the first of a new chain.
    var reply = 0.0
    for index in 0..<messages {
        let (sender, receiver) = index % 2 == 0 ? (others[0], own) : (own, others[0])
        let message = try sender.seal(plaintext, for: 1)
        reply += try average(1) { try receiver.open(message, with: 0) }
    }
    print("encrypt=\(encrypt) decrypt=\(decrypt) reply=\(reply / Double(messages))")
}

/// Walks through conversations with libomemo-c, in both generations and with either side as the first; see
/// ``DifferentialWalk``.
func compareRatchets(steps: Int, seed: UInt64) throws -> Bool {
    var isEqual = true
    for generation in OMEMOGeneration.allCases {
        for isInitiator in [true, false] {
            let result = try DifferentialWalk(generation, isInitiator: isInitiator, seed: seed, steps: steps).run()
            print(
                "\(generation.namespace), begun by \(isInitiator ? "Hongyan" : "libomemo-c"), seed \(seed): "
                    + "\(steps) steps, \(result.decrypted) decrypted, \(result.refused) repeated ones refused, "
                    + "\(result.differences.count) differences")
            for difference in result.differences { print("  \(difference)") }
            isEqual = isEqual && result.differences.isEmpty
        }
    }
    return isEqual
}

private struct Sealed {
    let payload: [UInt8]
    let nonce: [UInt8]
    /// For each device.
    let keys: [OutgoingKey]
}

/// One side: a device with its stored sessions.
private final class Party {
    private let generation: OMEMOGeneration
    private let device: Device
    private var sessions: [[UInt8]]

    init(_ generation: OMEMOGeneration, count: Int) throws {
        self.generation = generation
        device = try Device("alice@example.org", id: 1)
        sessions = Array(repeating: [], count: count)
    }

    /// Makes a session in which both sides have written.
    func connect(_ index: Int, to other: Party) throws {
        device.stored = nil
        try device.initiate(with: other.device.bundle(generation))
        _ = try other.device.decrypt(device.encrypt([1]), generation)
        _ = try device.decrypt(other.device.encrypt([2]), generation)
        sessions[index] = device.stored ?? []
        other.sessions[0] = other.device.stored ?? []
    }

    func seal(_ plaintext: [UInt8], for count: Int? = nil) throws -> Sealed {
        let cryptography = device.cryptography
        let (payload, nonce, key): ([UInt8], [UInt8], SecretBytes)
        switch generation {
        case .current:
            let encrypted = try EncryptedPayload(plaintext, using: cryptography)
            (payload, nonce, key) = (encrypted.payload, [], encrypted.key)
        case .legacy:
            let encrypted = try LegacyPayload(plaintext, using: cryptography)
            (payload, nonce, key) = (encrypted.payload, encrypted.nonce, encrypted.key)
        }
        var keys: [OutgoingKey] = []
        for index in 0..<(count ?? sessions.count) {
            var session = try OMEMOSession(serialized: sessions[index])
            keys.append(try session.encrypt(key.bytes, using: cryptography))
            sessions[index] = session.serialized
        }
        return Sealed(payload: payload, nonce: nonce, keys: keys)
    }

    func open(_ sealed: Sealed, with index: Int) throws {
        let cryptography = device.cryptography
        let key = sealed.keys[index]
        var session = try OMEMOSession(serialized: sessions[index])
        let message = try RatchetMessage(key.bytes, generation: generation)
        let decrypted = try session.messageReceived(message, now: device.now, using: cryptography).plaintext
        sessions[index] = session.serialized
        let plaintext =
            switch generation {
            case .current: try EncryptedPayload.decrypt(sealed.payload, key: decrypted, using: cryptography)
            case .legacy:
                try LegacyPayload.decrypt(sealed.payload, nonce: sealed.nonce, key: decrypted, using: cryptography)
            }
        precondition(!plaintext.isEmpty)
    }
}

/// The processor time of one of several calls, in microseconds.
private func average(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
    let start = now()
    for _ in 0..<count { try body() }
    return (now() - start) / Double(count)
}
