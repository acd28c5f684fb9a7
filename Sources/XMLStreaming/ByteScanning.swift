// Loads eight bytes at a time into one register: the inner loops of the parser and the writer search for the few
// significant bytes and skip the rest. All loads go through a span and are bounds-checked.

extension RawSpan {
    @inline(__always)
    subscript(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    @inline(__always)
    func word(_ offset: Int) -> UInt64 { unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    /// The same for callers that have already compared the offset with the count: at least eight bytes follow it.
    @inline(__always)
    func word(unchecked offset: Int) -> UInt64 {
        assert(offset >= 0 && offset <= byteCount - 8)
        return unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    }

    /// Sixteen bytes, in one register.
    @inline(__always)
    func words(_ offset: Int) -> SIMD2<UInt64> {
        unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
    }

    /// The bytes as a string. The caller must know that they are valid UTF-8.
    @inline(__always)
    func string(_ offset: Int, _ length: Int) -> String {
        extracting(offset..<offset &+ length).withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { String(copying: UTF8Span(unchecked: $0.span)) }
        }
    }

    @inline(__always)
    func bytes(_ offset: Int, _ length: Int) -> [UInt8] {
        extracting(offset..<offset &+ length).withUnsafeBytes { Array($0) }
    }

    /// Whether `length` bytes here equal those of another span.
    @inline(__always)
    func equals(_ offset: Int, _ other: borrowing RawSpan, _ otherOffset: Int, _ length: Int) -> Bool {
        if length <= 8 && offset &+ 8 <= byteCount && otherOffset &+ 8 <= other.byteCount {
            // One comparison for short names, without a branch on their length.
            if length == 0 { return true }
            let unused = UInt64(truncatingIfNeeded: 8 &- length) &* 8
            return (word(offset) ^ other.word(otherOffset)) &<< unused == 0
        }
        var index = 0
        while index &+ 8 <= length {
            if word(offset &+ index) != other.word(otherOffset &+ index) { return false }
            index &+= 8
        }
        if length > 8 {
            // The rest as one word. It overlaps the bytes that were already compared.
            return word(offset &+ length &- 8) == other.word(otherOffset &+ length &- 8)
        }
        while index < length {
            if self[offset &+ index] != other[otherOffset &+ index] { return false }
            index &+= 1
        }
        return true
    }

    @inline(__always)
    func equals(_ offset: Int, _ length: Int, _ string: String) -> Bool {
        let utf8 = string.utf8.span
        return utf8.count == length && equals(offset, utf8.bytes, 0, length)
    }

    @inline(__always)
    func equals(_ offset: Int, _ length: Int, _ bytes: [UInt8]) -> Bool {
        bytes.count == length && equals(offset, bytes.span.bytes, 0, length)
    }
}

extension String {
    /// Calls the closure with the UTF-8 of the string, in place if it is stored that way, as it is nearly always.
    @inline(__always)
    func withSpan<Result>(_ body: (borrowing RawSpan) -> Result) -> Result {
        let result = utf8.withContiguousStorageIfAvailable { body($0.span.bytes) }
        return result ?? body(utf8.span.bytes)
    }
}

// The functions below flag bytes by their high bit. A subtraction may borrow from the byte above, but only from a byte
// that is flagged itself: every result is exact up to and including its lowest flag, and callers use no more than that.

private let ones: UInt64 = 0x0101_0101_0101_0101
private let highBits: UInt64 = 0x8080_8080_8080_8080

/// Flags the bytes of an attribute value that need handling: the quote, `&`, `<`, controls and non-ASCII bytes.
///
/// `&` and the quotes differ in one bit; with that bit set in all bytes, one comparison finds both.
@inline(__always)
func valueBytes(_ word: UInt64, quote: UInt8) -> UInt64 {
    let ampersand = UInt8(ascii: "&")
    let quoteOrAmpersand = (word | ones &* UInt64(quote ^ ampersand)) ^ ones &* UInt64(quote | ampersand)
    let less = word ^ ones &* UInt64(UInt8(ascii: "<"))
    return (word | (word &- ones &* 0x20) | (quoteOrAmpersand &- ones) | (less &- ones)) & highBits
}

/// Flags the bytes of character data that need handling: `<`, `&`, `]`, controls and non-ASCII bytes.
@inline(__always)
func textBytes(_ word: UInt64) -> UInt64 {
    let less = word ^ ones &* UInt64(UInt8(ascii: "<"))
    let ampersand = word ^ ones &* UInt64(UInt8(ascii: "&"))
    let bracket = word ^ ones &* UInt64(UInt8(ascii: "]"))
    return (word | (word &- ones &* 0x20) | (less &- ones) | (ampersand &- ones) | (bracket &- ones)) & highBits
}

/// Flags the bytes that may need to be escaped: `&`, `<`, `>`, controls, in attributes both quotes, and the beginning of U+FFFE
/// and U+FFFF.
///
/// Pairs that differ in one bit take one comparison, with that bit set in all bytes: `<` and `>`, `&` and `'`, `&` and `"`.
@inline(__always)
func escapedBytes(_ word: UInt64, isAttribute: Bool) -> UInt64 {
    let angle = (word | ones &* 0x02) ^ ones &* UInt64(UInt8(ascii: ">"))
    var hits = (angle &- ones) | (word &- ones &* 0x20)
    if isAttribute {
        let apostrophe = (word | ones) ^ ones &* UInt64(UInt8(ascii: "'"))
        let quote = (word | ones &* 0x04) ^ ones &* UInt64(UInt8(ascii: "&"))
        hits |= (apostrophe &- ones) | (quote &- ones)
    } else {
        hits |= (word ^ ones &* UInt64(UInt8(ascii: "&"))) &- ones
    }
    hits &= ~word & highBits
    if word & highBits != 0 {
        // 0xEF and then 0xBF, which the next word may contain.
        hits |= bytesEqual(word, 0xEF) & bytesEqual(word &>> 8 | 0xBF &<< 56, 0xBF)
    }
    return hits
}

/// Whether one of sixteen bytes may need to be escaped, or begins U+F000 to U+FFFF, as only ``escapedBytes(_:isAttribute:)``
/// tells which of them are forbidden.
@inline(__always)
func mayNeedEscape(_ words: SIMD2<UInt64>, isAttribute: Bool) -> Bool {
    let ones = SIMD2(repeating: ones)
    let angle = (words | ones &* 0x02) ^ ones &* UInt64(UInt8(ascii: ">"))
    var hits = (angle &- ones) | (words &- ones &* 0x20)
    if isAttribute {
        let apostrophe = (words | ones) ^ ones &* UInt64(UInt8(ascii: "'"))
        let quote = (words | ones &* 0x04) ^ ones &* UInt64(UInt8(ascii: "&"))
        hits |= (apostrophe &- ones) | (quote &- ones)
    } else {
        hits |= (words ^ ones &* UInt64(UInt8(ascii: "&"))) &- ones
    }
    hits &= ~words
    let first = words ^ ones &* 0xEF
    hits |= (first &- ones) & ~first
    return (hits[0] | hits[1]) & highBits != 0
}

/// Flags the bytes that equal `byte`.
@inline(__always)
func bytesEqual(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    let difference = word ^ ones &* UInt64(byte)
    return (difference &- ones) & ~difference & highBits
}

/// Flags the bytes below U+0020.
@inline(__always)
func controlBytes(_ word: UInt64) -> UInt64 { (word &- ones &* 0x20) & ~word & highBits }

/// The high bit of each byte that is not an ASCII letter, a digit, `-`, `.` or `_`.
///
/// Exact in every byte: with the high bits cleared no addition carries into the next byte.
@inline(__always)
func nonNameBytes(_ word: UInt64) -> UInt64 {
    let low = word & 0x7F7F_7F7F_7F7F_7F7F
    let folded = low | 0x2020_2020_2020_2020
    let letters = (folded &+ ones &* 0x1F) & ~(folded &+ ones &* 0x05)
    let notSlash = (low ^ ones &* 0x2F) &+ ones &* 0x7F
    let digits = (low &+ ones &* 0x53) & ~(low &+ ones &* 0x46) & notSlash
    let notUnderscore = (low ^ ones &* 0x5F) &+ ones &* 0x7F
    return ~((letters | digits | ~notUnderscore) & ~word) & highBits
}
