/// Base 64 with the standard alphabet (RFC 4648 §4), as SASL and many payloads carry bytes in XML.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Encodes bytes, padded, without line breaks.
    public static func encode(_ bytes: [UInt8]) -> String {
        let length = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: length) { output in
            var o = 0
            func put(_ value: UInt32) {
                output[o] = alphabet[Int(value & 63)]
                o += 1
            }
            var i = 0
            while i + 2 < bytes.count {
                let group = UInt32(bytes[i]) << 16 | UInt32(bytes[i + 1]) << 8 | UInt32(bytes[i + 2])
                put(group >> 18)
                put(group >> 12)
                put(group >> 6)
                put(group)
                i += 3
            }
            let rest = bytes.count - i
            if rest > 0 {
                let group = UInt32(bytes[i]) << 16 | (rest == 2 ? UInt32(bytes[i + 1]) << 8 : 0)
                put(group >> 18)
                put(group >> 12)
                if rest == 2 { put(group >> 6) }
                while o < length {
                    output[o] = padding
                    o += 1
                }
            }
            return o
        }
    }

    /// Decodes strictly: full groups, correct padding, zero bits after the last byte, nothing else (RFC 4648 §3).
    public static func decode(_ string: String) -> [UInt8]? { decode(string.utf8) }

    /// Decodes text that may contain line breaks, as in MIME and in vCards.
    public static func decode(ignoringWhitespace string: String) -> [UInt8]? {
        decode(string.utf8.lazy.filter { !XMLCharacters.isWhitespace($0) })
    }

    private static func decode(_ characters: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.underestimatedCount / 4 * 3)
        var group: UInt32 = 0
        var count = 0
        var padded = 0
        for character in characters {
            if character == padding {
                padded += 1
                count += 1
                guard padded <= 2 else { return nil }
                continue
            }
            guard padded == 0, let value = value(of: character) else { return nil }
            group = group << 6 | value
            count += 1
            if count & 3 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
        }
        guard count & 3 == 0 else { return nil }
        switch padded {
        case 1:
            guard group & 0b11 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        case 2:
            guard group & 0b1111 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        default: break
        }
        return bytes
    }

    @inline(__always)
    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
