/// The public identity key of a device in both forms.
///
/// The current generation transfers the Ed25519 form, the legacy one the X25519 form. Both have one
/// ``fingerprint``, so that people compare only one.
public struct IdentityKey: Sendable, Hashable {
    /// The Ed25519 form, 32 bytes. Where only the X25519 form is known, its sign bit is 0.
    public let ed25519: [UInt8]
    /// The X25519 form, 32 bytes.
    public let x25519: [UInt8]

    /// The key of a bundle or key exchange of the current generation.
    public init(ed25519 key: [UInt8], using cryptography: any OMEMOCryptography) throws(OMEMOError) {
        guard key.count == 32, let converted = cryptography.x25519PublicKey(ofEd25519: key) else {
            throw OMEMOError(.invalidKey)
        }
        (ed25519, x25519) = (key, converted)
    }

    /// The key of a bundle or key exchange of the legacy generation, without the byte of its type.
    public init(x25519 key: [UInt8], using cryptography: any OMEMOCryptography) throws(OMEMOError) {
        guard key.count == 32, key[31] & 0x80 == 0, let converted = cryptography.ed25519PublicKey(ofX25519: key)
        else { throw OMEMOError(.invalidKey) }
        (ed25519, x25519) = (converted, key)
    }

    /// The key as a bundle or message of `generation` contains it.
    init(
        _ bytes: [UInt8], of generation: OMEMOGeneration, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) {
        guard let key = generation.decoded(bytes) else { throw OMEMOError(.invalidKey) }
        switch generation {
        case .legacy: try self.init(x25519: key, using: cryptography)
        case .current: try self.init(ed25519: key, using: cryptography)
        }
    }

    /// The key as `generation` transfers it.
    public func bytes(of generation: OMEMOGeneration) -> [UInt8] {
        generation == .legacy ? generation.encoded(x25519) : ed25519
    }

    /// What people compare: the X25519 form in 64 lower-case hexadecimal digits (XEP-0384 §8).
    public var fingerprint: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: x25519.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The fingerprint in the eight groups of eight digits in which it is shown (XEP-0384 §8).
    public var fingerprintGroups: [String] {
        var rest = fingerprint[...]
        return (0..<8).map { _ in
            defer { rest = rest.dropFirst(8) }
            return String(rest.prefix(8))
        }
    }

    /// Whether `signature` is a signature of `message` by this key.
    ///
    /// Devices of the legacy generation sign with their X25519 key (XEdDSA): the sign bit of the Ed25519 key is then the
    /// highest bit of the signature.
    public func isSignature(
        _ signature: [UInt8], of message: [UInt8], generation: OMEMOGeneration,
        using cryptography: any OMEMOCryptography
    ) -> Bool {
        guard signature.count == 64 else { return false }
        switch generation {
        case .current: return cryptography.isEd25519Signature(signature, of: message, by: ed25519)
        case .legacy:
            var key = ed25519
            key[31] = key[31] & 0x7f | signature[63] & 0x80
            var plain = signature
            plain[63] &= 0x7f
            return cryptography.isEd25519Signature(plain, of: message, by: key)
        }
    }
}
