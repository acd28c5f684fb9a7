/// A key pair that a bundle offers for key exchanges: a one-time key or, with signatures, the signed pre-key.
public struct PreKeyPair: Sendable {
    /// The number by which key exchanges refer to it, 1…2³¹−1.
    public let id: UInt32
    public let privateKey: SecretBytes
    /// 32 bytes.
    public let publicKey: [UInt8]

    /// A stored key pair.
    public init(id: UInt32, privateKey: SecretBytes, using cryptography: any OMEMOCryptography) throws(OMEMOError) {
        guard privateKey.bytes.count == 32, let publicKey = cryptography.x25519PublicKey(of: privateKey.bytes) else {
            throw OMEMOError(.invalidKey)
        }
        (self.id, self.privateKey, self.publicKey) = (id, privateKey, publicKey)
    }

    /// A new key pair.
    public static func random(
        id: UInt32, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> PreKeyPair {
        try PreKeyPair(id: id, privateKey: SecretBytes(cryptography.randomBytes(32)), using: cryptography)
    }

    /// `count` new one-time keys whose ids follow `previous`. The ids begin with 1 again after 2²⁴−1, the largest that
    /// every program of the legacy generation accepts.
    public static func random(
        count: Int, after previous: UInt32, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> [PreKeyPair] {
        var id = previous
        var keys: [PreKeyPair] = []
        for _ in 0..<count {
            id = id >= 0xff_ffff ? 1 : id + 1
            keys.append(try random(id: id, using: cryptography))
        }
        return keys
    }
}

/// The pre-key that every key exchange uses in addition to a one-time key, with its signatures.
///
/// It is replaced after ``OMEMOLimits/signedPreKeyLifetime``, and the previous one stays usable for as long again.
public struct SignedPreKeyPair: Sendable {
    public let pair: PreKeyPair
    /// When it was made, in seconds since 1970.
    public let created: Int64

    public init(_ pair: PreKeyPair, created: Int64) {
        self.pair = pair
        self.created = created
    }

    /// The signature that the bundle of `generation` contains: over the key as that generation writes it.
    public func signature(
        by identity: IdentityKeyPair, for generation: OMEMOGeneration, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> [UInt8] {
        try identity.signature(of: generation.encoded(pair.publicKey), using: cryptography)
    }

    /// Whether a new one should be published.
    public func isDue(now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(created)
        return overflow || age < 0 || age >= OMEMOLimits.signedPreKeyLifetime
    }
}
