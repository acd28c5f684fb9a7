/// Character classes of XML 1.0 (fifth edition) and the decoding of UTF-8.
enum XMLCharacters {
    /// The result of decoding at the start of a multi-byte character.
    enum Sequence {
        case complete(scalar: UInt32, length: Int)
        /// The bytes so far may become a character.
        case cutOff
        case invalid
    }

    /// Decodes the non-ASCII character at `offset`; refuses overlong forms, surrogates and anything above U+10FFFF.
    @inline(__always)
    static func decode(_ bytes: borrowing RawSpan, _ offset: Int, _ end: Int) -> Sequence {
        let available = end &- offset
        let first = UInt32(bytes[offset])
        if first < 0xC2 || first > 0xF4 { return .invalid }
        if available < 2 { return .cutOff }
        let second = UInt32(bytes[offset &+ 1])
        if second & 0xC0 != 0x80 { return .invalid }
        if first < 0xE0 { return .complete(scalar: (first & 0x1F) &<< 6 | second & 0x3F, length: 2) }
        if first < 0xF0 {
            if first == 0xE0 && second < 0xA0 { return .invalid }
            if first == 0xED && second >= 0xA0 { return .invalid }
            if available < 3 { return .cutOff }
            let third = UInt32(bytes[offset &+ 2])
            if third & 0xC0 != 0x80 { return .invalid }
            return .complete(scalar: (first & 0x0F) &<< 12 | (second & 0x3F) &<< 6 | third & 0x3F, length: 3)
        }
        if first == 0xF0 && second < 0x90 { return .invalid }
        if first == 0xF4 && second >= 0x90 { return .invalid }
        if available < 3 { return .cutOff }
        let third = UInt32(bytes[offset &+ 2])
        if third & 0xC0 != 0x80 { return .invalid }
        if available < 4 { return .cutOff }
        let fourth = UInt32(bytes[offset &+ 3])
        if fourth & 0xC0 != 0x80 { return .invalid }
        let high = (first & 0x07) &<< 18 | (second & 0x3F) &<< 12
        return .complete(scalar: high | (third & 0x3F) &<< 6 | fourth & 0x3F, length: 4)
    }

    /// `Char` (XML 1.0 §2.2).
    @inline(__always)
    static func isCharacter(_ scalar: UInt32) -> Bool {
        if scalar < 0x20 { return scalar == 0x9 || scalar == 0xA || scalar == 0xD }
        if scalar < 0xD800 { return true }
        return scalar >= 0xE000 && scalar <= 0xFFFD || scalar >= 0x10000 && scalar <= 0x10FFFF
    }

    /// `S` (XML 1.0 §2.3).
    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D)
    }

    /// ASCII letters, digits, `-`, `.` and `_`: what a name may contain, apart from the colon.
    @inline(__always)
    static func isASCIINameCharacter(_ byte: UInt8) -> Bool {
        if byte >= 0x80 { return false }
        let mask: UInt64 = byte & 0x40 == 0 ? 0x03FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
        return mask &>> UInt64(byte & 0x3F) & 1 != 0
    }

    /// Of the ASCII name characters, those that may begin a name.
    @inline(__always)
    static func isASCIINameStart(_ byte: UInt8) -> Bool { byte & 0x40 != 0 && isASCIINameCharacter(byte) }

    /// `NameStartChar` above ASCII (XML 1.0 §2.3).
    static func isNameStart(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }

    /// `NameChar` above ASCII (XML 1.0 §2.3).
    static func isNameCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: isNameStart(scalar)
        }
    }
}
