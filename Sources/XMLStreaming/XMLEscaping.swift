/// Turns any string into character data, attribute values and names that XML allows.
enum XMLEscaping {
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// Appends UTF-8, escaped for text or for an attribute value in either kind of quotes.
    ///
    /// Whitespace that a parser would normalise is written as a reference, so that it arrives unchanged.
    static func append(_ source: borrowing RawSpan, to bytes: inout [UInt8], isAttribute: Bool) {
        let end = source.byteCount
        var run = 0
        var i = 0
        while i < end {
            while i &+ 8 <= end {
                let word = source.word(i)
                var hits =
                    bytesEqual(word, UInt8(ascii: "&")) | bytesEqual(word, UInt8(ascii: "<"))
                    | bytesEqual(word, UInt8(ascii: ">")) | controlBytes(word) | bytesEqual(word, 0xEF)
                if isAttribute { hits |= bytesEqual(word, UInt8(ascii: "'")) | bytesEqual(word, UInt8(ascii: "\"")) }
                if hits != 0 {
                    i &+= hits.trailingZeroBitCount &>> 3
                    break
                }
                i &+= 8
            }
            guard i < end else { break }
            guard let (escape, width) = escape(source, i, end, isAttribute) else {
                i &+= 1
                continue
            }
            source.extracting(run..<i).withUnsafeBytes { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: escape)
            i &+= width
            run = i
        }
        source.extracting(run..<end).withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    private static let amp = Array("&amp;".utf8)
    private static let lt = Array("&lt;".utf8)
    private static let gt = Array("&gt;".utf8)
    private static let apos = Array("&apos;".utf8)
    private static let quot = Array("&quot;".utf8)
    private static let tab = Array("&#9;".utf8)
    private static let lineFeed = Array("&#10;".utf8)
    private static let carriageReturn = Array("&#13;".utf8)

    /// The replacement for the character at `i`, and the number of bytes of that character.
    private static func escape(
        _ source: borrowing RawSpan, _ i: Int, _ end: Int, _ isAttribute: Bool
    ) -> ([UInt8], Int)? {
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
        case 0x00..<0x20: return (replacement, 1)
        case 0xEF:
            // U+FFFE and U+FFFF.
            guard i + 2 < end, source[i + 1] == 0xBF, source[i + 2] >= 0xBE else { return nil }
            return (replacement, 3)
        default: return nil
        }
    }

    /// Appends an unprefixed name (`NCName`, Namespaces in XML 1.0 §3), with `_` in place of characters that a name
    /// cannot contain.
    static func appendName(_ name: borrowing RawSpan, to bytes: inout [UInt8]) {
        let end = name.byteCount
        var i = 0
        while i < end, XMLCharacters.isASCIINameCharacter(name[i]) { i &+= 1 }
        if i == end && end > 0 && XMLCharacters.isASCIINameStart(name[0]) {
            name.withUnsafeBytes { bytes.append(contentsOf: $0) }
            return
        }
        appendCorrected(name, to: &bytes)
    }

    private static func appendCorrected(_ name: borrowing RawSpan, to bytes: inout [UInt8]) {
        let underscore = UInt8(ascii: "_")
        if name.byteCount == 0 { bytes.append(underscore) }
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
            if isFirst && !isStart { bytes.append(underscore) }
            if isAllowed {
                bytes.append(contentsOf: String(scalar).utf8)
            } else if !isFirst {
                bytes.append(underscore)
            }
            isFirst = false
        }
    }
}
