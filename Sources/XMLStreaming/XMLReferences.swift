/// Character references, the five predefined entities, line ends and attribute whitespace (XML 1.0 §2.11, §3.3.3, §4.6).
enum XMLReferences {
    /// Resolves a piece of character data in place, which never makes it longer, and returns its new length.
    ///
    /// Line ends become `\n`; in an attribute value every whitespace character becomes a space. Characters from
    /// references stay unchanged.
    static func resolve(
        in bytes: inout MutableRawSpan, from start: Int, length: Int, isAttribute: Bool, isCDATA: Bool = false,
        elementStart: Int
    ) throws(XMLError) -> Int {
        let end = start + length
        var (input, output) = (start, start)
        while true {
            // The output is never ahead of the input, so a word is read before its place is written to.
            while input &+ 8 <= end {
                let word = bytes.unsafeLoadUnaligned(fromByteOffset: input, as: UInt64.self)
                guard controlBytes(word) | bytesEqual(word, UInt8(ascii: "&")) == 0 else { break }
                if input != output { bytes.storeBytes(of: word, toByteOffset: output, as: UInt64.self) }
                input &+= 8
                output &+= 8
            }
            guard input < end else { return output - start }
            let byte = bytes.unsafeLoad(fromByteOffset: input, as: UInt8.self)
            switch byte {
            case UInt8(ascii: "&") where !isCDATA:
                let (scalar, width) = try decode(bytes.bytes, input, end, elementStart)
                input &+= width
                write(scalar, to: &bytes, at: &output)
                continue
            case 0x0D:
                put(isAttribute ? 0x20 : 0x0A, &bytes, &output)
                if input &+ 1 < end, bytes.unsafeLoad(fromByteOffset: input &+ 1, as: UInt8.self) == 0x0A {
                    input &+= 1
                }
            case 0x09, 0x0A: put(isAttribute ? 0x20 : byte, &bytes, &output)
            default: put(byte, &bytes, &output)
            }
            input &+= 1
        }
    }

    static func resolve(
        in buffer: inout [UInt8], from start: Int, length: Int, isAttribute: Bool, isCDATA: Bool = false,
        elementStart: Int
    ) throws(XMLError) -> Int {
        var span = buffer.mutableSpan
        var bytes = span.mutableBytes
        return try resolve(
            in: &bytes, from: start, length: length, isAttribute: isAttribute, isCDATA: isCDATA,
            elementStart: elementStart)
    }

    @inline(__always)
    private static func put(_ byte: UInt8, _ bytes: inout MutableRawSpan, _ output: inout Int) {
        bytes.storeBytes(of: byte, toByteOffset: output, as: UInt8.self)
        output &+= 1
    }

    /// The character that the reference at `start` denotes, and the length of the reference.
    private static func decode(
        _ bytes: borrowing RawSpan, _ start: Int, _ end: Int, _ elementStart: Int
    ) throws(XMLError) -> (scalar: UInt32, width: Int) {
        func failure(_ code: XMLError.Code) -> XMLError { XMLError(code, at: start - elementStart) }
        var index = start + 1
        guard index < end else { throw failure(.notWellFormed) }
        if bytes[index] == UInt8(ascii: "#") {
            index += 1
            var radix: UInt32 = 10
            if index < end && bytes[index] == UInt8(ascii: "x") {
                radix = 16
                index += 1
            }
            let digits = index
            var scalar: UInt32 = 0
            while index < end, let digit = value(ofDigit: bytes[index], radix) {
                scalar = appending(digit, radix, to: scalar)
                index += 1
            }
            guard index > digits, index < end, bytes[index] == UInt8(ascii: ";") else { throw failure(.notWellFormed) }
            guard XMLCharacters.isCharacter(scalar) else { throw failure(.invalidCharacter) }
            return (scalar, index + 1 - start)
        }
        let name = index
        while index < end, bytes[index] != UInt8(ascii: ";"), index - name < 5 { index += 1 }
        if index < end, bytes[index] == UInt8(ascii: ";") {
            var word: UInt64 = 0
            for offset in name..<index { word = word &<< 8 | UInt64(bytes[offset]) }
            if let scalar = predefined(word) { return (scalar, index + 1 - start) }
        }
        // A reference to an entity that no DTD can declare here is well-formed only in its syntax.
        guard isReferenceSyntax(bytes, name, end) else { throw failure(.notWellFormed) }
        throw failure(.restrictedXML)
    }

    private static func isReferenceSyntax(_ bytes: borrowing RawSpan, _ name: Int, _ end: Int) -> Bool {
        var index = name
        while index < end, bytes[index] != UInt8(ascii: ";") {
            let byte = bytes[index]
            let isName =
                byte >= 0x80 || XMLCharacters.isASCIINameStart(byte) || byte == UInt8(ascii: ":")
                || index > name && XMLCharacters.isASCIINameCharacter(byte)
            guard isName else { return false }
            index += 1
        }
        return index < end && index > name
    }

    /// A number with one more digit. Values far above every character stay the same, so any number of digits is safe.
    static func appending(_ digit: UInt32, _ radix: UInt32, to scalar: UInt32) -> UInt32 {
        min(scalar * radix + digit, 0x0200_0000)
    }

    static func value(ofDigit byte: UInt8, _ radix: UInt32) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f") where radix == 16: UInt32(byte) - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F") where radix == 16: UInt32(byte) - 0x37
        default: nil
        }
    }

    /// The five entities that every document has (XML 1.0 §4.6), with their names of at most five bytes as a number.
    static func predefined(_ name: UInt64) -> UInt32? {
        switch name {
        case 0x6C74: 0x3C  // lt
        case 0x6774: 0x3E  // gt
        case 0x61_6D70: 0x26  // amp
        case 0x6170_6F73: 0x27  // apos
        case 0x7175_6F74: 0x22  // quot
        default: nil
        }
    }

    private static func write(_ scalar: UInt32, to bytes: inout MutableRawSpan, at output: inout Int) {
        func put(_ value: UInt32) { XMLReferences.put(UInt8(truncatingIfNeeded: value), &bytes, &output) }
        if scalar < 0x80 {
            put(scalar)
        } else if scalar < 0x800 {
            put(0xC0 | scalar >> 6)
            put(0x80 | scalar & 0x3F)
        } else if scalar < 0x10000 {
            put(0xE0 | scalar >> 12)
            put(0x80 | scalar >> 6 & 0x3F)
            put(0x80 | scalar & 0x3F)
        } else {
            put(0xF0 | scalar >> 18)
            put(0x80 | scalar >> 12 & 0x3F)
            put(0x80 | scalar >> 6 & 0x3F)
            put(0x80 | scalar & 0x3F)
        }
    }
}

/// Reads one reference a byte at a time, starting after its `&`: a character by its number, or one of the five
/// predefined entities (XML 1.0 §4.1, §4.6).
struct ReferenceReader: Sendable {
    private enum Phase { case start, name, number, decimal, hexadecimal }

    private var phase = Phase.start
    private var digits = 0
    private var scalar: UInt32 = 0
    /// The name as a number, and its length up to one more than the longest name.
    private var word: UInt64 = 0
    private var length = 0

    /// Takes the next byte; returns the character when the byte is the closing `;`.
    mutating func take(_ byte: UInt8, at offset: Int) throws(XMLError) -> UInt32? {
        switch phase {
        case .start where byte == UInt8(ascii: "#"): phase = .number
        case .start, .name:
            if byte == UInt8(ascii: ";"), length > 0 {
                guard length <= 5, let scalar = XMLReferences.predefined(word) else {
                    throw XMLError(.restrictedXML, at: offset)
                }
                return scalar
            }
            // The bytes of a name that no DTD can declare need no closer check.
            let isName =
                byte >= 0x80 || XMLCharacters.isASCIINameStart(byte) || byte == UInt8(ascii: ":")
                || phase == .name && XMLCharacters.isASCIINameCharacter(byte)
            guard isName else { throw XMLError(.notWellFormed, at: offset) }
            phase = .name
            word = word &<< 8 | UInt64(byte)
            length = min(length + 1, 6)
        case .number where byte == UInt8(ascii: "x"): phase = .hexadecimal
        case .number, .decimal, .hexadecimal:
            if byte == UInt8(ascii: ";"), digits > 0 {
                guard XMLCharacters.isCharacter(scalar) else { throw XMLError(.invalidCharacter, at: offset) }
                return scalar
            }
            if phase == .number { phase = .decimal }
            let radix: UInt32 = phase == .hexadecimal ? 16 : 10
            guard let digit = XMLReferences.value(ofDigit: byte, radix) else {
                throw XMLError(.notWellFormed, at: offset)
            }
            digits = 1
            scalar = XMLReferences.appending(digit, radix, to: scalar)
        }
        return nil
    }
}
