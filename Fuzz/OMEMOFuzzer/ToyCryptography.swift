import OMEMO

/// Operations of the right shape without any security, so that inputs get past them: every code is valid.
struct ToyCryptography: OMEMOCryptography {
    private func mix(_ parts: [UInt8]..., count: Int = 32) -> [UInt8] {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in parts { for byte in part { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 } }
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    func randomBytes(_ count: Int) throws(OMEMOError) -> [UInt8] { [UInt8](repeating: 0x22, count: count) }
    func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] { mix(key, message) }
    func hkdf(_ secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
        mix(secret, salt, info, count: byteCount)
    }
    func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? { privateKey.map { $0 & 0x7f } }
    func x25519(_ privateKey: [UInt8], with publicKey: [UInt8]) -> [UInt8]? {
        zip(privateKey, publicKey).map { ($0 ^ $1) & 0x7f }
    }
    func ed25519PublicKey(of seed: [UInt8]) -> [UInt8]? { seed.map { $0 & 0x7f } }
    func ed25519Signature(of message: [UInt8], seed: [UInt8]) -> [UInt8]? { [UInt8](repeating: 1, count: 64) }
    func isEd25519Signature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool { true }
    func x25519PrivateKey(ofEd25519Seed seed: [UInt8]) -> [UInt8]? { seed }
    func x25519PublicKey(ofEd25519 publicKey: [UInt8]) -> [UInt8]? { publicKey }
    func ed25519PublicKey(ofX25519 publicKey: [UInt8]) -> [UInt8]? { publicKey }
    func cbcEncrypted(_ plaintext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        let padding = 16 - plaintext.count % 16
        return plaintext + [UInt8](repeating: UInt8(padding), count: padding)
    }
    func cbcDecrypted(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        guard let padding = ciphertext.last, (1...16).contains(padding) else { return nil }
        return Array(ciphertext.dropLast(Int(padding)))
    }
    func gcmSealed(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        plaintext + [UInt8](repeating: 0, count: 16)
    }
    func gcmOpened(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        sealed.count < 16 ? nil : Array(sealed.dropLast(16))
    }
    func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.count == other.count }
}
