// Eight bytes at a time in one register: the parser's and the writer's inner loops look for the few bytes that mean
// something and skip the rest. All loads go through a span and are bounds-checked.

extension RawSpan {
    @inline(__always)
    subscript(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    @inline(__always)
    func word(_ offset: Int) -> UInt64 { unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    /// The bytes as a string; the caller knows that they are valid UTF-8.
    @inline(__always)
    func string(_ offset: Int, _ length: Int) -> String {
        extracting(offset..<offset &+ length).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @inline(__always)
    func bytes(_ offset: Int, _ length: Int) -> [UInt8] {
        extracting(offset..<offset &+ length).withUnsafeBytes { Array($0) }
    }

    /// Whether `length` bytes here equal those of another span.
    @inline(__always)
    func equals(_ offset: Int, _ other: borrowing RawSpan, _ otherOffset: Int, _ length: Int) -> Bool {
        if length <= 8 && offset &+ 8 <= byteCount && otherOffset &+ 8 <= other.byteCount {
            // One comparison for short names, without a branch that depends on their length.
            if length == 0 { return true }
            let unused = UInt64(truncatingIfNeeded: 8 &- length) &* 8
            return (word(offset) ^ other.word(otherOffset)) &<< unused == 0
        }
        var index = 0
        while index &+ 8 <= length {
            if word(offset &+ index) != other.word(otherOffset &+ index) { return false }
            index &+= 8
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

/// The high bit of each byte that is zero (exact up to and including the lowest hit).
@inline(__always)
func zeroBytes(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}

/// The high bit of each byte that equals `byte` (exact up to and including the lowest hit).
@inline(__always)
func bytesEqual(_ word: UInt64, _ byte: UInt8) -> UInt64 {
    zeroBytes(word ^ (0x0101_0101_0101_0101 &* UInt64(byte)))
}

/// The high bit of each byte below U+0020 (exact up to and including the lowest hit).
@inline(__always)
func controlBytes(_ word: UInt64) -> UInt64 {
    (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
}

/// The high bit of each byte that is not ASCII.
@inline(__always)
func nonASCIIBytes(_ word: UInt64) -> UInt64 { word & 0x8080_8080_8080_8080 }

/// The high bit of each byte that is not an ASCII letter, a digit, `-`, `.` or `_`.
///
/// Exact in every byte: with the high bits cleared no addition carries into the next byte.
@inline(__always)
func nonNameBytes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = word & 0x7F7F_7F7F_7F7F_7F7F
    let folded = low | 0x2020_2020_2020_2020
    let letters = (folded &+ ones &* 0x1F) & ~(folded &+ ones &* 0x05)
    let notSlash = (low ^ ones &* 0x2F) &+ ones &* 0x7F
    let digits = (low &+ ones &* 0x53) & ~(low &+ ones &* 0x46) & notSlash
    let notUnderscore = (low ^ ones &* 0x5F) &+ ones &* 0x7F
    return ~((letters | digits | ~notUnderscore) & ~word) & 0x8080_8080_8080_8080
}
