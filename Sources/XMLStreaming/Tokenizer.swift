/// Splits the bytes of one top-level element into tags and text.
///
/// A state machine that can stop after any byte and continue when more have arrived: no byte is read more than a few
/// times, however small the reads are. All offsets count from the start of the top-level element, so they stay valid
/// when the buffer moves. Errors carry such offsets too.
struct Tokenizer: ~Copyable {
    enum Token {
        case incomplete, startTag, emptyElementTag, endTag, text, cdata, declaration
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
    private var attributeName = 0
    private var attributePrefixLength = 0
    private var attributeLocalLength = 0
    private var attributeValue = 0

    /// The name of a start or end tag, including prefix and colon.
    private(set) var nameStart = 0
    private(set) var nameLength = 0
    /// Bytes of the tag's prefix, including its colon.
    private(set) var prefixLength = 0
    /// The tag's attributes, in the form that the tape stores.
    private(set) var attributes = PlainStack<TapeEntry>(capacity: Tokenizer.keptAttributes)
    private static let keptAttributes = 16
    /// Whether some attribute value contains a reference or whitespace to normalise.
    private(set) var hasRawAttributes = false
    private(set) var textStart = 0
    private(set) var textLength = 0
    /// Whether the text contains a reference or a carriage return.
    private(set) var textIsRaw = false

    /// The name of the innermost open element, which an end tag must repeat.
    var openName = 0
    var openNameLength = Tokenizer.anyName
    /// No element is open: the end tag can only be the stream's, and the caller compares the name.
    static let anyName = -1
    /// Whether the first bytes may be an XML declaration.
    var allowsDeclaration = false

    /// Resets everything: the next byte starts a top-level element.
    @inline(__always)
    mutating func restart() {
        cursor = 0
        phase = .content
        openNameLength = Tokenizer.anyName
    }

    /// Gives back the memory of the attributes; called between elements.
    mutating func releaseMemory() { attributes.release() }

    /// Whether no byte of the next token was read.
    @inline(__always)
    var isBetweenTokens: Bool { phase == .content }

    /// The start of the token that is not complete; its bytes are unchanged.
    var tokenStart: Int {
        switch phase {
        case .content: cursor
        case .text: textStart
        default: start
        }
    }

    /// Continues at a later offset, after tokens that were read without the tokenizer.
    @inline(__always)
    mutating func skip(to offset: Int) { cursor = offset }

    @inline(__always)
    mutating func setValueLength(_ length: Int, ofAttribute index: Int) {
        attributes[index].third = UInt32(truncatingIfNeeded: length)
    }

    private static let cdataOpening = Array("<![CDATA[".utf8)

    mutating func next(_ bytes: borrowing RawSpan, limits: borrowing XMLLimits) throws(XMLError) -> Token {
        let nameLimit = limits.nameBytes
        let end = bytes.byteCount
        var i = cursor
        var phase = self.phase
        var colon = self.colon
        var isRaw = self.isRaw
        defer {
            cursor = i
            self.phase = phase
            self.colon = colon
            self.isRaw = isRaw
        }
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
                attributes.removeAll(keeping: Tokenizer.keptAttributes)
                hasRawAttributes = false
                phase = .tagName
                fallthrough

            case .tagName:
                let short = Tokenizer.shortName(bytes, i, end)
                if short > 0 && i == nameStart && nameLimit >= 8 {
                    i &+= short
                } else {
                    guard try Tokenizer.name(bytes, &i, end, nameStart, nameLimit, &colon) else { return .incomplete }
                }
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
                attributeName = i
                colon = -1
                phase = .attributeName
                fallthrough

            case .attributeName:
                let short = Tokenizer.shortName(bytes, i, end)
                if short > 0 && i == attributeName && nameLimit >= 8 {
                    i &+= short
                } else {
                    guard try Tokenizer.name(bytes, &i, end, attributeName, nameLimit, &colon) else {
                        return .incomplete
                    }
                }
                attributePrefixLength = colon < 0 ? 0 : colon &+ 1 &- attributeName
                attributeLocalLength = i &- attributeName &- attributePrefixLength
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
                attributeValue = i
                isRaw = false
                phase = .value
                fallthrough

            case .value:
                i = Tokenizer.plainValue(bytes, i, end, quote)
                if i >= end || bytes[i] != quote {
                    guard try Tokenizer.value(bytes, &i, end, quote, &isRaw) else { return .incomplete }
                }
                if isRaw { hasRawAttributes = true }
                attributes.append(
                    TapeEntry(
                        .attribute, attributeName, attributeValue, i &- attributeValue, prefix: attributePrefixLength,
                        name: attributeLocalLength))
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
                i = Tokenizer.plainText(bytes, i, end)
                if i >= end || bytes[i] != UInt8(ascii: "<") {
                    guard try Tokenizer.text(bytes, &i, end, &isRaw) else { return .incomplete }
                }
                textLength = i &- textStart
                textIsRaw = isRaw
                phase = .content
                return .text

            case .endName:
                guard try Tokenizer.name(bytes, &i, end, nameStart, nameLimit, &colon) else { return .incomplete }
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
                guard try Tokenizer.cdata(bytes, &i, end, &isRaw) else { return .incomplete }
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

    /// The length of an unprefixed ASCII name of up to seven bytes, in one step; 0 for any other name.
    @inline(__always)
    private static func shortName(_ bytes: borrowing RawSpan, _ i: Int, _ end: Int) -> Int {
        guard i &+ 8 <= end else { return 0 }
        let word = bytes.word(i)
        let others = nonNameBytes(word)
        let length = others.trailingZeroBitCount &>> 3
        guard length & 7 != 0, XMLCharacters.isASCIINameStart(UInt8(truncatingIfNeeded: word)) else { return 0 }
        let next = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: length &* 8))
        return next == UInt8(ascii: ":") || next >= 0x80 ? 0 : length
    }

    /// Reads a qualified name (Namespaces in XML 1.0 §4) that begins at `from`; returns `false` when it may continue.
    @inline(__always)
    private static func name(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int, _ from: Int, _ limit: Int, _ colon: inout Int
    ) throws(XMLError) -> Bool {
        let stop = min(end, from &+ limit &+ 1)
        if i == from && i < stop && XMLCharacters.isASCIINameStart(bytes[i]) { i &+= 1 }
        while true {
            if i > from && i &- 1 != colon {
                while i &+ 8 <= stop {
                    let others = nonNameBytes(bytes.word(i))
                    i &+= others.trailingZeroBitCount &>> 3
                    if others != 0 { break }
                }
                while i < stop, XMLCharacters.isASCIINameCharacter(bytes[i]) { i &+= 1 }
            }
            if i &- from > limit { throw XMLError(.nameTooLong, at: from) }
            guard i < end else { return false }
            let byte = bytes[i]
            let isFirst = i == from || i &- 1 == colon
            if byte == UInt8(ascii: ":") {
                guard colon < 0, i > from else { throw XMLError(.notWellFormed, at: i) }
                colon = i
                i &+= 1
                continue
            }
            if byte < 0x80 {
                if isFirst {
                    guard XMLCharacters.isASCIINameStart(byte) else { throw XMLError(.notWellFormed, at: i) }
                    i &+= 1
                    continue
                }
                return true
            }
            guard try nonASCIINameCharacter(bytes, &i, end, isFirst: isFirst) else { return false }
        }
    }

    static func nonASCIINameCharacter(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int, isFirst: Bool
    ) throws(XMLError) -> Bool {
        switch XMLCharacters.decode(bytes, i, end) {
        case .cutOff: return false
        case .invalid: throw XMLError(.invalidUTF8, at: i)
        case .complete(let scalar, let length):
            guard isFirst ? XMLCharacters.isNameStart(scalar) : XMLCharacters.isNameCharacter(scalar) else {
                throw XMLError(XMLCharacters.isCharacter(scalar) ? .notWellFormed : .invalidCharacter, at: i)
            }
            i &+= length
            return true
        }
    }

    /// Skips multi-byte characters.
    private static func skipNonASCII(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        let plainEnd = PlainScan.nonASCII(bytes, i, end &- 8)
        if plainEnd >= 0 {
            i = plainEnd
            return true
        }
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

    /// Skips the bytes of an attribute value that need no decoding, as far as whole words go.
    @inline(__always)
    static func plainValue(_ bytes: borrowing RawSpan, _ start: Int, _ end: Int, _ quote: UInt8) -> Int {
        var i = start
        while i &+ 8 <= end {
            let hits = valueBytes(bytes.word(i), quote: quote)
            i &+= hits.trailingZeroBitCount &>> 3
            if hits != 0 { break }
        }
        return i
    }

    /// Skips the bytes of character data that need no decoding, as far as whole words go.
    @inline(__always)
    static func plainText(_ bytes: borrowing RawSpan, _ start: Int, _ end: Int) -> Int {
        var i = start
        while i &+ 8 <= end {
            let hits = textBytes(bytes.word(i))
            i &+= hits.trailingZeroBitCount &>> 3
            if hits != 0 { break }
        }
        return i
    }

    /// Reads an attribute value up to its quote; returns `false` when it may continue.
    @inline(__always)
    private static func value(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int, _ quote: UInt8, _ isRaw: inout Bool
    ) throws(XMLError) -> Bool {
        while true {
            i = plainValue(bytes, i, end, quote)
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

    /// Reads character data up to the next `<`; returns `false` when it may continue.
    @inline(__always)
    private static func text(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int, _ isRaw: inout Bool
    ) throws(XMLError) -> Bool {
        while true {
            i = plainText(bytes, i, end)
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

    /// Reads a CDATA section up to its `]]>`; returns `false` when it may continue.
    private static func cdata(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int, _ isRaw: inout Bool
    ) throws(XMLError) -> Bool {
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
