/// Base64 (RFC 4648 §4) as used inside SCRAM messages: padded, without other characters.
///
/// A separate implementation, because this module imports nothing. Decoding is strict: characters outside the alphabet,
/// missing padding and leftover bits are refused, so every value has only one spelling.
package enum SASLBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group = UInt32(bytes[index]) << 16
            if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[index + 2]) }
            text.append(alphabet[Int(group >> 18 & 63)])
            text.append(alphabet[Int(group >> 12 & 63)])
            text.append(count > 1 ? alphabet[Int(group >> 6 & 63)] : padding)
            text.append(count > 2 ? alphabet[Int(group & 63)] : padding)
            index += 3
        }
        return text
    }

    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var digits = text
        while digits.last == padding, text.count - digits.count < 2 { digits.removeLast() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var bits = 0
        for character in digits {
            guard let value = value(of: character) else { return nil }
            group = group << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= (1 << UInt32(bits)) - 1
            }
        }
        return group == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// Checks that all mechanisms share.
package enum SASLText {
    /// The UTF-8 of a credential. Throws if it is empty or contains U+0000, which no mechanism can transmit.
    static func bytes(of text: String, naming what: String) throws(SASLError) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else { throw SASLError(.invalidCredential(what: what)) }
        return bytes
    }

    /// Whether both arrays are equal. The time does not depend on where they differ.
    package static func areEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }
}
