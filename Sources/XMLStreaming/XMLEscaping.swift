/// Turns any string into character data, attribute values and names that XML allows.
enum XMLEscaping {
    /// What a character is replaced by: up to eight bytes, the first in the lowest bits.
    private struct Replacement: BitwiseCopyable {
        let word: UInt64
        let count: Int

        init(_ text: String) {
            word = text.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }
            count = text.utf8.count
        }
    }

    private static let forbidden = Replacement("\u{FFFD}")

    /// Appends UTF-8 from `start` on, escaped for text or for an attribute value in either kind of quotes.
    ///
    /// Whitespace that a parser would normalise is written as a reference, so that it arrives unchanged.
    static func append(
        _ source: borrowing RawSpan, from start: Int = 0, to output: inout OutputBuffer, isAttribute: Bool
    ) {
        let end = source.byteCount
        var i =
            isAttribute
            ? output.appendPlain(source, from: start, isAttribute: true)
            : output.appendPlain(source, from: start, isAttribute: false)
        while i < end {
            if let (escape, width) = escape(source, i, end, isAttribute) {
                output.append(escape.word, count: escape.count)
                i &+= width
            } else {
                output.append(source[i])
                i &+= 1
            }
            i =
                isAttribute
                ? output.appendPlain(source, from: i, isAttribute: true)
                : output.appendPlain(source, from: i, isAttribute: false)
        }
    }

    private static let amp = Replacement("&amp;")
    private static let lt = Replacement("&lt;")
    private static let gt = Replacement("&gt;")
    private static let apos = Replacement("&apos;")
    private static let quot = Replacement("&quot;")
    private static let tab = Replacement("&#9;")
    private static let lineFeed = Replacement("&#10;")
    private static let carriageReturn = Replacement("&#13;")

    /// The replacement for the character at `i`, and the number of bytes of that character.
    private static func escape(
        _ source: borrowing RawSpan, _ i: Int, _ end: Int, _ isAttribute: Bool
    ) -> (Replacement, Int)? {
        let byte = source[i]
        switch byte {
        case UInt8(ascii: "&"): return (amp, 1)
        case UInt8(ascii: "<"): return (lt, 1)
        case UInt8(ascii: ">"): return (gt, 1)
        case UInt8(ascii: "'"): return isAttribute ? (apos, 1) : nil
        case UInt8(ascii: "\""): return isAttribute ? (quot, 1) : nil
        case 0x09: return isAttribute ? (tab, 1) : nil
        case 0x0A: return isAttribute ? (lineFeed, 1) : nil
        case 0x0D: return (carriageReturn, 1)
        case 0x00..<0x20: return (forbidden, 1)
        case 0xEF:
            // U+FFFE and U+FFFF.
            guard i + 2 < end, source[i + 1] == 0xBF, source[i + 2] >= 0xBE else { return nil }
            return (forbidden, 3)
        default: return nil
        }
    }

    /// Whether this is an ASCII name without a prefix, so that it is written as it is.
    @inline(__always)
    static func isPlainName(_ name: borrowing RawSpan) -> Bool {
        let end = name.byteCount
        var i = 0
        while i < end, XMLCharacters.isASCIINameCharacter(name[i]) { i &+= 1 }
        return i == end && end > 0 && XMLCharacters.isASCIINameStart(name[0])
    }

    /// Appends an unprefixed name (`NCName`, Namespaces in XML 1.0 §3), with `_` in place of characters that a name
    /// cannot contain.
    static func appendName(_ name: borrowing RawSpan, to output: inout OutputBuffer) {
        if isPlainName(name) { output.append(name) } else { appendCorrected(name, to: &output) }
    }

    private static func appendCorrected(_ name: borrowing RawSpan, to output: inout OutputBuffer) {
        let underscore = UInt8(ascii: "_")
        if name.byteCount == 0 { output.append(underscore) }
        var isFirst = true
        for scalar in name.string(0, name.byteCount).unicodeScalars {
            let (isStart, isAllowed) =
                if scalar.isASCII {
                    (
                        XMLCharacters.isASCIINameStart(UInt8(scalar.value)),
                        XMLCharacters.isASCIINameCharacter(UInt8(scalar.value))
                    )
                } else {
                    (XMLCharacters.isNameStart(scalar.value), XMLCharacters.isNameCharacter(scalar.value))
                }
            if isFirst && !isStart { output.append(underscore) }
            if isAllowed {
                output.append(String(scalar).utf8.span.bytes)
            } else if !isFirst {
                output.append(underscore)
            }
            isFirst = false
        }
    }
}
