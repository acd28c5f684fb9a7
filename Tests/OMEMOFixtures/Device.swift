internal import Cryptography
package import OMEMO

/// One device with its keys and one session, as the tests need it.
package final class Device {
    package let cryptography: any OMEMOCryptography
    package let address: String
    package let id: OMEMODevice
    package let identity: IdentityKeyPair
    package let signedPreKey: SignedPreKeyPair
    package var preKeys: [PreKeyPair]
    /// Seconds since 1970.
    package var now: Int64 = 1_800_000_000
    /// The session in its stored form; `nil` before the first message.
    package var stored: [UInt8]?

    package init(
        _ address: String, id: UInt32, cryptography: (any OMEMOCryptography)? = nil
    ) throws {
        guard let device = OMEMODevice(id) else { throw OMEMOError(.invalidDevice) }
        let cryptography = cryptography ?? OpenSSLCryptography()
        self.cryptography = cryptography
        self.address = address
        self.id = device
        identity = try .random(using: cryptography)
        signedPreKey = SignedPreKeyPair(try .random(id: 7, using: cryptography), created: now)
        preKeys = try PreKeyPair.random(count: 25, after: 100, using: cryptography)
    }

    package func bundle(_ generation: OMEMOGeneration) throws -> OMEMOBundle {
        try OMEMOBundle(
            generation, identity: identity, signedPreKey: signedPreKey, preKeys: preKeys, using: cryptography)
    }

    /// Starts a session with the device of a bundle.
    package func initiate(with bundle: OMEMOBundle) throws {
        let session = try OMEMOSession.initiate(
            with: bundle.verified(using: cryptography), by: identity, device: id, using: cryptography)
        stored = session.serialized
    }

    package func encrypt(_ plaintext: [UInt8]) throws -> OutgoingKey {
        var session = try session()
        let key = try session.encrypt(plaintext, using: cryptography)
        stored = session.serialized
        return key
    }

    package func decrypt(_ key: OutgoingKey, _ generation: OMEMOGeneration) throws -> OMEMODecryption {
        try decrypt(IncomingKey(key.bytes, isKeyExchange: key.isKeyExchange, generation: generation))
    }

    /// Does what the owner of sessions does: a key exchange makes a session unless this one is of the same exchange.
    package func decrypt(_ key: IncomingKey) throws -> OMEMODecryption {
        switch key {
        case .message(let message): return try decrypt(message)
        case .keyExchange(let exchange):
            if stored != nil, try session().isMade(by: exchange) { return try decrypt(exchange.message) }
            let accepted = try OMEMOSession.accept(
                exchange, by: identity, signedPreKey: signedPreKey.pair,
                preKey: preKeys.first { $0.id == exchange.preKey }, now: now, using: cryptography)
            preKeys.removeAll { $0.id == exchange.preKey }
            stored = accepted.session.serialized
            return accepted.decryption
        }
    }

    private func decrypt(_ message: RatchetMessage) throws -> OMEMODecryption {
        var session = try session()
        do {
            let decryption = try session.messageReceived(message, now: now, using: cryptography)
            stored = session.serialized
            return decryption
        } catch {
            guard session.serialized == stored else { fatalError("A refused message changed the session: \(error)") }
            throw error
        }
    }

    package func session() throws -> OMEMOSession {
        guard let stored else { throw OMEMOError(.wrongSession) }
        return try OMEMOSession(serialized: stored)
    }
}

/// Reproducible randomness over the real operations.
///
/// `@unchecked Sendable`: each instance is used by one test, and by one thread at a time.
package final class SeededCryptography: OMEMOCryptography, @unchecked Sendable {
    private let system = OpenSSLCryptography()
    private var state: UInt64

    /// Used by one test on one thread.
    package init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

    package func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    package func randomBytes(_ count: Int) throws(OMEMOError) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    package func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] { system.hmac(message, key: key) }
    package func hkdf(_ secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
        system.hkdf(secret, salt: salt, info: info, byteCount: byteCount)
    }
    package func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? { system.x25519PublicKey(of: privateKey) }
    package func x25519(_ privateKey: [UInt8], with publicKey: [UInt8]) -> [UInt8]? {
        system.x25519(privateKey, with: publicKey)
    }
    package func ed25519PublicKey(of seed: [UInt8]) -> [UInt8]? { system.ed25519PublicKey(of: seed) }
    package func ed25519Signature(of message: [UInt8], seed: [UInt8]) -> [UInt8]? {
        system.ed25519Signature(of: message, seed: seed)
    }
    package func isEd25519Signature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        system.isEd25519Signature(signature, of: message, by: publicKey)
    }
    package func x25519PrivateKey(ofEd25519Seed seed: [UInt8]) -> [UInt8]? {
        system.x25519PrivateKey(ofEd25519Seed: seed)
    }
    package func x25519PublicKey(ofEd25519 publicKey: [UInt8]) -> [UInt8]? {
        system.x25519PublicKey(ofEd25519: publicKey)
    }
    package func ed25519PublicKey(ofX25519 publicKey: [UInt8]) -> [UInt8]? {
        system.ed25519PublicKey(ofX25519: publicKey)
    }
    package func cbcEncrypted(_ plaintext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        system.cbcEncrypted(plaintext, key: key, vector: vector)
    }
    package func cbcDecrypted(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        system.cbcDecrypted(ciphertext, key: key, vector: vector)
    }
    package func gcmSealed(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        system.gcmSealed(plaintext, key: key, nonce: nonce)
    }
    package func gcmOpened(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        system.gcmOpened(sealed, key: key, nonce: nonce)
    }
    package func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool { system.areEqual(one, other) }
}
