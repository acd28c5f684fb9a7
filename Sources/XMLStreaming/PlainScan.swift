/// Finds the ends of names, values and text that need no decoding; returns -1 where the tokenizer has to take over.
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

    /// The offset of the quote that ends the value beginning at `start`.
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

    /// The offset of the `<` that ends the text beginning at `start`.
    @inline(__always)
    static func text(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int) -> Int {
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
            } else {
                return -1
            }
        }
        return -1
    }

    /// The end of the run of multi-byte characters that begins at `start`.
    static func nonASCII(_ bytes: borrowing RawSpan, _ start: Int, _ last: Int) -> Int {
        let end = bytes.byteCount
        var i = start
        while true {
            // Three-byte characters from U+1000 to U+CFFF, most of Chinese, Japanese and Korean, need no range check.
            while i <= last {
                let word = bytes.word(unchecked: i)
                guard word & 0xC0_C0F0 == 0x80_80E0, word & 0xF &- 1 < 0xC else { break }
                i &+= 3
                if word & 0x8000_0000 == 0 { return i }
            }
            guard i < end, bytes[i] >= 0x80 else { return i }
            guard case .complete(let scalar, let length) = XMLCharacters.decode(bytes, i, end),
                scalar != 0xFFFE, scalar != 0xFFFF
            else { return -1 }
            i &+= length
        }
    }

    /// Whether the namespace is as long as one of the two reserved ones and begins with `http://w`.
    @inline(__always)
    static func mayBeReserved(_ bytes: borrowing RawSpan, _ start: Int, _ length: Int) -> Bool {
        (length == 29 || length == 36) && bytes[start &+ 7] == UInt8(ascii: "w")
    }
}
