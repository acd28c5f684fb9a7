/// Cuts the bytes of one top-level element into tags and text.
///
/// A state machine that can stop after any byte and go on when more have come: no byte is looked at more than a few
/// times, however small the reads are. All offsets count from the start of the top-level element, so they stay valid
/// when the buffer moves. Errors carry such offsets too.
struct Tokenizer {
    enum Token {
        case incomplete, startTag, emptyElementTag, endTag, text, cdata, declaration
    }

    struct Attribute: BitwiseCopyable {
        var name: Int
        /// With the colon.
        var prefixLength: Int
        var localLength: Int
        var value: Int
        var valueLength: Int
        /// Holds a reference or whitespace to normalise.
        var isRaw: Bool
    }

    private enum Phase: UInt8 {
        case content, text, markup
        case tagName, gap, attributeName, equals, quote, value, slash
        case endName, endGap
        case bang, cdata
        case question, declaration
    }

    private var phase = Phase.content
    /// The next byte to look at.
    private(set) var cursor = 0
    private var start = 0
    private var colon = -1
    private var quote: UInt8 = 0
    private var sawSpace = false
    private var isRaw = false
    private var pending = Attribute(name: 0, prefixLength: 0, localLength: 0, value: 0, valueLength: 0, isRaw: false)

    /// Name of a start or end tag, prefix and colon included.
    private(set) var nameStart = 0
    private(set) var nameLength = 0
    /// Bytes of the tag's prefix with its colon.
    private(set) var prefixLength = 0
    private(set) var attributes: [Attribute] = []
    /// Some attribute is raw.
    private(set) var hasRawAttributes = false
    private(set) var textStart = 0
    private(set) var textLength = 0
    /// The text holds a reference or a carriage return.
    private(set) var textIsRaw = false

    /// The name of the innermost open element, which an end tag must repeat.
    var openName = 0
    var openNameLength = Tokenizer.anyName
    /// No element is open: an end tag can only be the stream's, and the caller compares the name.
    static let anyName = -1
    /// The first bytes may be an XML declaration.
    var allowsDeclaration = false

    init() { attributes.reserveCapacity(16) }

    /// Forgets everything: the next byte starts a top-level element.
    @inline(__always)
    mutating func restart() {
        cursor = 0
        phase = .content
        openNameLength = Tokenizer.anyName
    }

    @inline(__always)
    mutating func setValueLength(_ length: Int, ofAttribute index: Int) {
        attributes[index].valueLength = length
    }

    private static let cdataOpening = Array("<![CDATA[".utf8)

    mutating func next(_ bytes: borrowing RawSpan, limits: borrowing XMLLimits) throws(XMLError) -> Token {
        var i = cursor
        let end = bytes.byteCount
        defer { cursor = i }
        while true {
            switch phase {
            case .content:
                guard i < end else { return .incomplete }
                if bytes[i] != UInt8(ascii: "<") {
                    textStart = i
                    isRaw = false
                    phase = .text
                    continue
                }
                start = i
                i &+= 1
                phase = .markup
                fallthrough

            case .markup:
                guard i < end else { return .incomplete }
                let byte = bytes[i]
                if byte == UInt8(ascii: "/") {
                    i &+= 1
                    nameStart = i
                    if openNameLength > 0 && i &+ openNameLength < end
                        && bytes[i &+ openNameLength] == UInt8(ascii: ">")
                        && bytes.equals(i, bytes, openName, openNameLength)
                    {
                        nameLength = openNameLength
                        i &+= openNameLength &+ 1
                        phase = .content
                        return .endTag
                    }
                    colon = -1
                    phase = .endName
                    continue
                }
                if byte == UInt8(ascii: "!") {
                    phase = .bang
                    continue
                }
                if byte == UInt8(ascii: "?") {
                    guard allowsDeclaration, start == 0 else { throw XMLError(.restrictedXML, at: start) }
                    phase = .question
                    continue
                }
                nameStart = i
                colon = -1
                attributes.removeAll(keepingCapacity: true)
                hasRawAttributes = false
                phase = .tagName
                fallthrough

            case .tagName:
                guard try name(bytes, &i, end, nameStart, limits.nameBytes) else { return .incomplete }
                nameLength = i &- nameStart
                prefixLength = colon < 0 ? 0 : colon &+ 1 &- nameStart
                phase = .gap
                sawSpace = false
                fallthrough

            case .gap:
                while i < end, XMLCharacters.isWhitespace(bytes[i]) {
                    sawSpace = true
                    i &+= 1
                }
                guard i < end else { return .incomplete }
                let byte = bytes[i]
                if byte == UInt8(ascii: ">") {
                    i &+= 1
                    phase = .content
                    return .startTag
                }
                if byte == UInt8(ascii: "/") {
                    i &+= 1
                    phase = .slash
                    continue
                }
                guard sawSpace else { throw XMLError(.notWellFormed, at: i) }
                guard attributes.count < limits.attributesPerElement else { throw XMLError(.tooManyAttributes, at: i) }
                pending.name = i
                colon = -1
                phase = .attributeName
                fallthrough

            case .attributeName:
                guard try name(bytes, &i, end, pending.name, limits.nameBytes) else { return .incomplete }
                pending.prefixLength = colon < 0 ? 0 : colon &+ 1 &- pending.name
                pending.localLength = i &- pending.name &- pending.prefixLength
                phase = .equals
                fallthrough

            case .equals:
                while i < end, XMLCharacters.isWhitespace(bytes[i]) { i &+= 1 }
                guard i < end else { return .incomplete }
                guard bytes[i] == UInt8(ascii: "=") else { throw XMLError(.notWellFormed, at: i) }
                i &+= 1
                phase = .quote
                fallthrough

            case .quote:
                while i < end, XMLCharacters.isWhitespace(bytes[i]) { i &+= 1 }
                guard i < end else { return .incomplete }
                quote = bytes[i]
                guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
                    throw XMLError(.notWellFormed, at: i)
                }
                i &+= 1
                pending.value = i
                isRaw = false
                phase = .value
                fallthrough

            case .value:
                guard try value(bytes, &i, end) else { return .incomplete }
                pending.valueLength = i &- pending.value
                pending.isRaw = isRaw
                if isRaw { hasRawAttributes = true }
                attributes.append(pending)
                i &+= 1
                sawSpace = false
                phase = .gap
                continue

            case .slash:
                guard i < end else { return .incomplete }
                guard bytes[i] == UInt8(ascii: ">") else { throw XMLError(.notWellFormed, at: i) }
                i &+= 1
                phase = .content
                return .emptyElementTag

            case .text:
                guard try text(bytes, &i, end) else { return .incomplete }
                textLength = i &- textStart
                textIsRaw = isRaw
                phase = .content
                return .text

            case .endName:
                guard try name(bytes, &i, end, nameStart, limits.nameBytes) else { return .incomplete }
                nameLength = i &- nameStart
                let isExpected =
                    openNameLength == Tokenizer.anyName
                    || nameLength == openNameLength && bytes.equals(nameStart, bytes, openName, nameLength)
                guard isExpected else {
                    throw XMLError(.mismatchedEndTag, at: nameStart)
                }
                phase = .endGap
                fallthrough

            case .endGap:
                while i < end, XMLCharacters.isWhitespace(bytes[i]) { i &+= 1 }
                guard i < end else { return .incomplete }
                guard bytes[i] == UInt8(ascii: ">") else { throw XMLError(.notWellFormed, at: i) }
                i &+= 1
                phase = .content
                return .endTag

            case .bang:
                let opening = Tokenizer.cdataOpening
                while i < end, i &- start < opening.count {
                    if bytes[i] != opening[i &- start] {
                        // "<!" that opens no CDATA section opens a comment or a DTD.
                        throw XMLError(i &- start == 2 ? .restrictedXML : .notWellFormed, at: start)
                    }
                    i &+= 1
                }
                guard i &- start == opening.count else { return .incomplete }
                textStart = i
                isRaw = false
                phase = .cdata
                fallthrough

            case .cdata:
                guard try cdata(bytes, &i, end) else { return .incomplete }
                textLength = i &- textStart
                textIsRaw = isRaw
                i &+= 3
                phase = .content
                return .cdata

            case .question:
                let opening: StaticString = "<?xml"
                while i < end, i &- start < 5 {
                    if bytes[i] != opening.utf8Start[i &- start] { throw XMLError(.restrictedXML, at: start) }
                    i &+= 1
                }
                guard i < end else { return .incomplete }
                guard XMLCharacters.isWhitespace(bytes[i]) else { throw XMLError(.restrictedXML, at: start) }
                textStart = i
                phase = .declaration
                fallthrough

            case .declaration:
                while i &+ 1 < end {
                    if bytes[i] == UInt8(ascii: "?") && bytes[i &+ 1] == UInt8(ascii: ">") {
                        textLength = i &- textStart
                        i &+= 2
                        phase = .content
                        return .declaration
                    }
                    i &+= 1
                }
                return .incomplete
            }
        }
    }

    /// Reads a qualified name (Namespaces in XML 1.0 §4) that begins at `from`; `false` when it may go on.
    @inline(__always)
    private mutating func name(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int, _ from: Int, _ limit: Int
    ) throws(XMLError) -> Bool {
        while true {
            let stop = min(end, from &+ limit &+ 1)
            while i < stop, XMLCharacters.isASCIINameCharacter(bytes[i]) {
                if i == from || i &- 1 == colon {
                    guard XMLCharacters.isASCIINameStart(bytes[i]) else { throw XMLError(.notWellFormed, at: i) }
                }
                i &+= 1
            }
            if i &- from > limit { throw XMLError(.nameTooLong, at: from) }
            guard i < end else { return false }
            if bytes[i] == UInt8(ascii: ":") {
                guard colon < 0, i > from else { throw XMLError(.notWellFormed, at: i) }
                colon = i
                i &+= 1
                continue
            }
            guard bytes[i] >= 0x80 else {
                // The name ends here; it may not be empty, nor may its local part.
                guard i > from, i &- 1 != colon else { throw XMLError(.notWellFormed, at: i) }
                return true
            }
            switch XMLCharacters.decode(bytes, i, end) {
            case .cutOff: return false
            case .invalid: throw XMLError(.invalidUTF8, at: i)
            case .complete(let scalar, let length):
                let isFirst = i == from || i &- 1 == colon
                guard isFirst ? XMLCharacters.isNameStart(scalar) : XMLCharacters.isNameCharacter(scalar) else {
                    throw XMLError(XMLCharacters.isCharacter(scalar) ? .notWellFormed : .invalidCharacter, at: i)
                }
                i &+= length
            }
        }
    }

    /// Skips characters of more than one byte.
    @inline(__always)
    private func skipNonASCII(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        repeat {
            switch XMLCharacters.decode(bytes, i, end) {
            case .cutOff: return false
            case .invalid: throw XMLError(.invalidUTF8, at: i)
            case .complete(let scalar, let length):
                guard scalar != 0xFFFE, scalar != 0xFFFF else { throw XMLError(.invalidCharacter, at: i) }
                i &+= length
            }
        } while i < end && bytes[i] >= 0x80
        return true
    }

    /// Reads an attribute value up to its quote; `false` when it may go on.
    @inline(__always)
    private mutating func value(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        while true {
            while i &+ 8 <= end {
                let word = bytes.word(i)
                let hits =
                    bytesEqual(word, quote) | bytesEqual(word, UInt8(ascii: "&")) | bytesEqual(word, UInt8(ascii: "<"))
                    | controlBytes(word) | nonASCIIBytes(word)
                if hits != 0 {
                    i &+= hits.trailingZeroBitCount &>> 3
                    break
                }
                i &+= 8
            }
            guard i < end else { return false }
            let byte = bytes[i]
            if byte == quote { return true }
            if byte >= 0x80 {
                guard try skipNonASCII(bytes, &i, end) else { return false }
                continue
            }
            if byte == UInt8(ascii: "<") { throw XMLError(.notWellFormed, at: i) }
            if byte < 0x20 {
                guard XMLCharacters.isWhitespace(byte) else { throw XMLError(.invalidCharacter, at: i) }
                isRaw = true
            } else if byte == UInt8(ascii: "&") {
                isRaw = true
            }
            i &+= 1
        }
    }

    /// Reads character data up to the next `<`; `false` when it may go on.
    @inline(__always)
    private mutating func text(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        while true {
            while i &+ 8 <= end {
                let word = bytes.word(i)
                let hits =
                    bytesEqual(word, UInt8(ascii: "<")) | bytesEqual(word, UInt8(ascii: "&"))
                    | bytesEqual(word, UInt8(ascii: "]")) | controlBytes(word) | nonASCIIBytes(word)
                if hits != 0 {
                    i &+= hits.trailingZeroBitCount &>> 3
                    break
                }
                i &+= 8
            }
            guard i < end else { return false }
            let byte = bytes[i]
            if byte == UInt8(ascii: "<") { return true }
            if byte >= 0x80 {
                guard try skipNonASCII(bytes, &i, end) else { return false }
                continue
            }
            if byte == UInt8(ascii: "]") {
                // "]]>" may not stand in text (XML 1.0 §2.4).
                guard i &+ 1 < end else { return false }
                if bytes[i &+ 1] == UInt8(ascii: "]") {
                    guard i &+ 2 < end else { return false }
                    if bytes[i &+ 2] == UInt8(ascii: ">") { throw XMLError(.notWellFormed, at: i) }
                }
            } else if byte < 0x20 {
                guard XMLCharacters.isWhitespace(byte) else { throw XMLError(.invalidCharacter, at: i) }
                if byte == 0x0D { isRaw = true }
            } else if byte == UInt8(ascii: "&") {
                isRaw = true
            }
            i &+= 1
        }
    }

    /// Reads a CDATA section up to its `]]>`; `false` when it may go on.
    private mutating func cdata(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        while i < end {
            let byte = bytes[i]
            if byte >= 0x80 {
                guard try skipNonASCII(bytes, &i, end) else { return false }
                continue
            }
            if byte == UInt8(ascii: "]") {
                guard i &+ 1 < end else { return false }
                if bytes[i &+ 1] == UInt8(ascii: "]") {
                    guard i &+ 2 < end else { return false }
                    if bytes[i &+ 2] == UInt8(ascii: ">") { return true }
                }
            } else if byte < 0x20 {
                guard XMLCharacters.isWhitespace(byte) else { throw XMLError(.invalidCharacter, at: i) }
                if byte == 0x0D { isRaw = true }
            }
            i &+= 1
        }
        return false
    }
}
