/// Finds the ends of names, values and text; returns -1 where the tokenizer has to take over.
///
/// A value or text is raw if it contains something that `XMLReferences` has to change: a reference, a carriage return, or
/// a line end or tab in a value. References are checked here, so that changing them cannot fail.
///
/// Words are loaded without their own bounds check: before each load, its offset is compared with `last`, the last
/// offset from which eight bytes can be read.
enum PlainScan {
    /// `xmlns='`, either quote: the quotes `"` and `'` differ in the bits 0x05.
    static var xmlns: UInt64 { 0x22_3D_73_6E_6C_6D_78 }
    static var xmlnsMask: UInt64 { 0xFA_FF_FF_FF_FF_FF_FF }
    static var xmlLang: UInt64 { 0x67_6E_61_6C_3A_6C_6D_78 }

    /// The end of the unprefixed ASCII name that begins at `start`.
    @inline(__always)
    static func name(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int) -> Int {
        guard start <= last else { return -1 }
        let first = bytes.word(unchecked: start)
        guard XMLCharacters.isASCIINameStart(UInt8(truncatingIfNeeded: first)) else { return -1 }
        var others = nonNameBytes(first)
        var i = start
        while others == 0 {
            i &+= 8
            guard i <= last else { return -1 }
            others = nonNameBytes(bytes.word(unchecked: i))
        }
        return i &+ others.trailingZeroBitCount &>> 3
    }

    /// The offset of the quote that ends the value beginning at `start`, if the value is not raw.
    @inline(__always)
    static func value(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int, _ quote: UInt8) -> Int {
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return -1 }
        var i = start
        while i <= last {
            let word = bytes.word(unchecked: i)
            let hits = valueBytes(word, quote: quote)
            if hits == 0 {
                i &+= 8
                continue
            }
            let shift = hits.trailingZeroBitCount
            i &+= shift &>> 3
            let byte = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: shift & 56))
            if byte == quote { return i }
            guard byte >= 0x80 else { return -1 }
            i = nonASCII(bytes, i, last)
            if i < 0 { return -1 }
        }
        return -1
    }

    /// The offset of the quote that ends the value beginning at `start`, which may be raw.
    static func rawValue(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int, _ quote: UInt8) -> Int {
        var i = start
        while i <= last {
            let byte = bytes[i]
            if byte == quote { return i }
            if byte == UInt8(ascii: "&") {
                i = reference(bytes, i, last)
            } else if byte >= 0x80 {
                i = nonASCII(bytes, i, last)
            } else if byte == UInt8(ascii: "<") || byte < 0x20 && !XMLCharacters.isWhitespace(byte) {
                return -1
            } else {
                i &+= 1
            }
            if i < 0 { return -1 }
        }
        return -1
    }

    /// The offset of the `>` or `/>` that ends a tag after whitespace.
    @inline(never)
    static func tagEnd(_ bytes: borrowing RawSpan, _ start: Int) -> Int {
        var i = start
        while i < bytes.byteCount, XMLCharacters.isWhitespace(bytes[i]) { i &+= 1 }
        guard i < bytes.byteCount else { return -1 }
        return bytes[i] == UInt8(ascii: "/") || bytes[i] == UInt8(ascii: ">") ? i : -1
    }

    /// The offset of the `<` that ends the text beginning at `start`.
    @inline(__always)
    static func text(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int, _ isRaw: inout Bool) -> Int {
        var i = start
        while i <= last {
            let word = bytes.word(unchecked: i)
            let hits = textBytes(word)
            if hits == 0 {
                i &+= 8
                continue
            }
            let shift = hits.trailingZeroBitCount
            i &+= shift &>> 3
            let byte = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: shift & 56))
            if byte == UInt8(ascii: "<") { return i }
            if byte >= 0x80 {
                i = nonASCII(bytes, i, last)
                if i < 0 { return -1 }
            } else if byte == 0x0A || byte == 0x09 {
                i &+= 1
            } else if byte == UInt8(ascii: "&") {
                isRaw = true
                i = reference(bytes, i, last)
                if i < 0 { return -1 }
            } else if byte == 0x0D {
                isRaw = true
                i &+= 1
            } else if byte == UInt8(ascii: "]"), i <= last, bytes.word(unchecked: i) & 0xFF_FFFF != cdataEnd {
                i &+= 1
            } else {
                return -1
            }
        }
        return -1
    }

    /// The end of the reference whose `&` is at `start`.
    @inline(never)
    static func reference(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int) -> Int {
        guard start <= last else { return -1 }
        let word = bytes.word(unchecked: start)
        if word & 0xFF_FFFF_FFFF == ampersand { return start &+ 5 }
        if word & 0xFFFF_FFFF == less || word & 0xFFFF_FFFF == greater { return start &+ 4 }
        if word & 0xFFFF_FFFF_FFFF == quotationMark || word & 0xFFFF_FFFF_FFFF == apostrophe { return start &+ 6 }
        return UInt8(truncatingIfNeeded: word &>> 8) == UInt8(ascii: "#") ? number(bytes, start &+ 2) : -1
    }

    // `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;` and `]]>` as words.
    private static var ampersand: UInt64 { 0x3B_706D_6126 }
    private static var less: UInt64 { 0x3B74_6C26 }
    private static var greater: UInt64 { 0x3B74_6726 }
    private static var quotationMark: UInt64 { 0x3B74_6F75_7126 }
    private static var apostrophe: UInt64 { 0x3B73_6F70_6126 }
    private static var cdataEnd: UInt64 { 0x3E_5D5D }

    /// The end of a reference by number, which follows `&#`.
    private static func number(_ bytes: borrowing RawSpan, _ start: Int) -> Int {
        var i = start
        let end = bytes.byteCount
        guard i < end else { return -1 }
        var radix: UInt32 = 10
        if bytes[i] == UInt8(ascii: "x") {
            radix = 16
            i &+= 1
        }
        let digits = i
        var scalar: UInt32 = 0
        while i < end, let digit = XMLReferences.value(ofDigit: bytes[i], radix) {
            scalar = XMLReferences.appending(digit, radix, to: scalar)
            i &+= 1
        }
        guard i > digits, i < end, bytes[i] == UInt8(ascii: ";"), XMLCharacters.isCharacter(scalar) else { return -1 }
        return i &+ 1
    }

    /// The end of the run of multi-byte characters that begins at `start`.
    static func nonASCII(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int) -> Int {
        let end = bytes.byteCount
        var i = start
        while true {
            while i <= last {
                let word = bytes.word(unchecked: i)
                let length: Int
                if isCommonThreeByte(word) {
                    length = isCommonThreeByte(word &>> 24) ? 6 : 3
                } else if word & 0xC0_C0C0_F8 == 0x80_8080_F0, (word & 7) &<< 6 | (word &>> 8 & 0x3F) &- 0x10 < 0x100 {
                    // U+10000 to U+10FFFF.
                    length = 4
                } else if word & 0xC0E0 == 0x80C0, word & 0x1E != 0 {
                    length = 2
                } else {
                    break
                }
                i &+= length
                if (word &>> UInt64(truncatingIfNeeded: length &* 8)) & 0x80 == 0 { return i }
            }
            guard i < end, bytes[i] >= 0x80 else { return i }
            guard case .complete(let scalar, let length) = XMLCharacters.decode(bytes, i, end),
                scalar != 0xFFFE, scalar != 0xFFFF
            else { return -1 }
            i &+= length
        }
    }

    /// Whether the word begins with a character from U+1000 to U+CFFF: most of Chinese, Japanese and Korean.
    @inline(__always)
    private static func isCommonThreeByte(_ word: UInt64) -> Bool {
        word & 0xC0_C0F0 == 0x80_80E0 && word & 0xF &- 1 < 0xC
    }

    /// Whether the namespace is as long as one of the two reserved ones and begins with `http://w`.
    @inline(__always)
    static func mayBeReserved(_ bytes: borrowing RawSpan, _ start: Int, _ length: Int) -> Bool {
        (length == 29 || length == 36) && bytes[start &+ 7] == UInt8(ascii: "w")
    }
}
