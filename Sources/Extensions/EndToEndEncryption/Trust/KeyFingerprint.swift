public import OMEMO

/// A fingerprint as a person types, pastes or scans it.
///
/// The fingerprint of a device is the X25519 form of its identity key, the same for both generations (XEP-0384 §8).
public struct KeyFingerprint: Sendable, Hashable {
    /// 32 bytes.
    let bytes: [UInt8]

    public init(_ key: IdentityKey) { bytes = key.x25519 }

    /// Reads 64 hexadecimal digits in any grouping, or 66 digits that begin with 05, as some programs of the legacy generation
    /// write a key with its type.
    public init?(_ text: String) {
        var bytes: [UInt8] = []
        var half: UInt8?
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case 0x30...0x39: digit = character - 0x30
            case 0x41...0x46: digit = character - 0x41 + 10
            case 0x61...0x66: digit = character - 0x61 + 10
            case 0x20, 0x09, 0x0a, 0x0d, 0x2d, 0x3a: continue
            default: return nil
            }
            guard bytes.count <= 33 else { return nil }
            if let high = half {
                bytes.append(high << 4 | digit)
                half = nil
            } else {
                half = digit
            }
        }
        guard half == nil else { return nil }
        if bytes.count == 33, bytes[0] == 5 { bytes.removeFirst() }
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal digits.
    public var digits: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Whether it is the fingerprint of a key, in constant time.
    ///
    /// Some programs write the Ed25519 form of the key; it is accepted too, as only the owner of the same secret key has it.
    public func matches(_ key: IdentityKey, using cryptography: any OMEMOCryptography) -> Bool {
        let isAgreementForm = cryptography.areEqual(bytes, key.x25519)
        let isSigningForm = cryptography.areEqual(bytes, key.ed25519)
        return isAgreementForm || isSigningForm
    }
}
