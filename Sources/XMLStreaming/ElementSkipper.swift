/// Reads the rest of a top-level element without storing it: memory use depends neither on its length nor on its depth.
///
/// Anything that breaks the grammar of XML 1.0 is still an error, as far as this is detectable without a stack: end
/// tags are counted, not compared, and attributes are not compared with each other. No limits and no namespace rules
/// apply.
struct ElementSkipper: Sendable {
    private enum Phase: UInt8 {
        case content, markup, tagName, gap, attributeName, equals, quote, value, slash
        case endName, endGap
        case bang, cdata
        case reference
    }

    private var phase = Phase.content
    /// Elements that are open.
    private var depth: Int
    private var quote: UInt8 = 0
    private var sawSpace = false
    private var isFirstOfName = true
    private var sawColon = false
    /// The number of consecutive `]`, at most two; in `<![CDATA[`: the number of bytes that match.
    private var matched = 0
    private var reference = ReferenceReader()
    private var phaseAfterReference = Phase.content

    /// What the start tag of the top-level element says; its parts are collected while the tag is read here.
    private(set) var head: ElementHead
    private var collectsHead: Bool
    /// Whether the start tag of the top-level element was read to its end.
    var hasReadHead: Bool { !collectsHead }
    private var collected: [UInt8] = []
    private var part: ElementHead.Part?

    /// Continues after the tags that the builder has read.
    init(depth: Int, head: ElementHead) {
        self.depth = depth
        self.head = head
        collectsHead = false
    }

    /// Begins at the top-level element's start tag.
    init() {
        depth = 0
        head = ElementHead()
        collectsHead = true
    }

    private static let cdataOpening = Array("<![CDATA[".utf8)

    /// Reads from `i`; returns `true` when the element is complete. Errors carry offsets into `bytes`.
    ///
    /// Bytes that it leaves are the beginning of one character and must be passed again together with more bytes.
    mutating func skip(_ bytes: borrowing RawSpan, _ i: inout Int) throws(XMLError) -> Bool {
        let end = bytes.byteCount
        while i < end {
            let byte = bytes[i]
            switch phase {
            case .content:
                guard try content(bytes, &i, end) else { return false }
            case .markup:
                isFirstOfName = true
                sawColon = false
                if byte == UInt8(ascii: "/") {
                    guard depth > 0 else { throw XMLError(.mismatchedEndTag, at: i) }
                    i += 1
                    phase = .endName
                } else if byte == UInt8(ascii: "!") {
                    i += 1
                    matched = 2
                    phase = .bang
                } else if byte == UInt8(ascii: "?") {
                    throw XMLError(.restrictedXML, at: i)
                } else {
                    collected = []
                    phase = .tagName
                }
            case .tagName:
                guard try name(bytes, &i, end, collecting: collectsHead) else { return false }
                if collectsHead { head.setName(collected) }
                sawSpace = false
                phase = .gap
            case .gap:
                if XMLCharacters.isWhitespace(byte) {
                    sawSpace = true
                    i += 1
                } else if byte == UInt8(ascii: ">") {
                    i += 1
                    depth += 1
                    endOfStartTag()
                } else if byte == UInt8(ascii: "/") {
                    i += 1
                    phase = .slash
                } else {
                    guard sawSpace else { throw XMLError(.notWellFormed, at: i) }
                    isFirstOfName = true
                    sawColon = false
                    collected = []
                    phase = .attributeName
                }
            case .attributeName:
                guard try name(bytes, &i, end, collecting: collectsHead) else { return false }
                part = collectsHead ? head.part(named: collected) : nil
                collected = []
                phase = .equals
            case .equals:
                if !XMLCharacters.isWhitespace(byte) {
                    guard byte == UInt8(ascii: "=") else { throw XMLError(.notWellFormed, at: i) }
                    phase = .quote
                }
                i += 1
            case .quote:
                if !XMLCharacters.isWhitespace(byte) {
                    guard byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") else {
                        throw XMLError(.notWellFormed, at: i)
                    }
                    quote = byte
                    phase = .value
                }
                i += 1
            case .value:
                guard try value(bytes, &i, end) else { return false }
            case .slash:
                guard byte == UInt8(ascii: ">") else { throw XMLError(.notWellFormed, at: i) }
                i += 1
                if depth == 0 { return true }
                endOfStartTag()
            case .endName:
                guard try name(bytes, &i, end, collecting: false) else { return false }
                phase = .endGap
            case .endGap:
                if !XMLCharacters.isWhitespace(byte) {
                    guard byte == UInt8(ascii: ">") else { throw XMLError(.notWellFormed, at: i) }
                    depth -= 1
                    i += 1
                    if depth == 0 { return true }
                    phase = .content
                    matched = 0
                } else {
                    i += 1
                }
            case .bang:
                guard byte == ElementSkipper.cdataOpening[matched] else {
                    throw XMLError(matched == 2 ? .restrictedXML : .notWellFormed, at: i)
                }
                i += 1
                matched += 1
                if matched == ElementSkipper.cdataOpening.count {
                    guard depth > 0 else { throw XMLError(.textOutsideElement, at: i) }
                    matched = 0
                    phase = .cdata
                }
            case .cdata:
                guard try cdata(bytes, &i, end) else { return false }
            case .reference:
                if let scalar = try reference.take(byte, at: i) {
                    if part != nil { collect(scalar) }
                    phase = phaseAfterReference
                }
                i += 1
            }
        }
        return false
    }

    /// Records a start tag that other code has read; returns `true` when it completes the element.
    mutating func enter(isEmpty: Bool) -> Bool {
        if isEmpty { return depth == 0 }
        depth += 1
        return false
    }

    private mutating func endOfStartTag() {
        collectsHead = false
        collected = []
        matched = 0
        phase = .content
    }

    // MARK: Text

    /// Character data up to `<` or `&`; returns `false` when it needs more bytes.
    private mutating func content(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int
    ) throws(XMLError) -> Bool {
        while i < end {
            if matched == 0 { i = Tokenizer.plainText(bytes, i, end) }
            guard i < end else { return true }
            let byte = bytes[i]
            switch byte {
            case UInt8(ascii: "<"):
                i += 1
                phase = .markup
                return true
            case UInt8(ascii: "&"):
                i += 1
                beginReference(then: .content)
                return true
            case UInt8(ascii: "]"):
                matched = min(2, matched + 1)
                i += 1
            case UInt8(ascii: ">") where matched == 2:
                throw XMLError(.notWellFormed, at: i)
            default:
                matched = 0
                guard try character(bytes, &i, end) else { return false }
            }
        }
        return true
    }

    /// A CDATA section up to its `]]>`; returns `false` when it needs more bytes.
    private mutating func cdata(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        while i < end {
            if matched == 0 { i = Tokenizer.plainText(bytes, i, end) }
            guard i < end else { return true }
            if bytes[i] == UInt8(ascii: "]") {
                matched = min(2, matched + 1)
                i += 1
            } else if bytes[i] == UInt8(ascii: ">"), matched == 2 {
                i += 1
                matched = 0
                phase = .content
                return true
            } else {
                matched = 0
                guard try character(bytes, &i, end) else { return false }
            }
        }
        return true
    }

    /// An attribute value up to its quote or `&`; returns `false` when it needs more bytes.
    private mutating func value(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        while i < end {
            let start = i
            i = Tokenizer.plainValue(bytes, i, end, quote)
            collect(bytes, start, i)
            guard i < end else { return true }
            let byte = bytes[i]
            if byte == quote {
                i += 1
                if let part { head.set(part, collected) }
                part = nil
                collected = []
                sawSpace = false
                phase = .gap
                return true
            }
            if byte == UInt8(ascii: "&") {
                i += 1
                beginReference(then: .value)
                return true
            }
            if byte == UInt8(ascii: "<") { throw XMLError(.notWellFormed, at: i) }
            let before = i
            guard try character(bytes, &i, end) else { return false }
            if XMLCharacters.isWhitespace(byte) { collect(0x20) } else { collect(bytes, before, i) }
        }
        return true
    }

    /// One character, valid anywhere; returns `false` when its bytes are incomplete.
    private func character(_ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int) throws(XMLError) -> Bool {
        let byte = bytes[i]
        if byte >= 0x80 {
            switch XMLCharacters.decode(bytes, i, end) {
            case .cutOff: return false
            case .invalid: throw XMLError(.invalidUTF8, at: i)
            case .complete(let scalar, let length):
                guard XMLCharacters.isCharacter(scalar) else { throw XMLError(.invalidCharacter, at: i) }
                i += length
            }
        } else {
            guard byte >= 0x20 || XMLCharacters.isWhitespace(byte) else { throw XMLError(.invalidCharacter, at: i) }
            i += 1
        }
        return true
    }

    private mutating func beginReference(then next: Phase) {
        reference = ReferenceReader()
        phaseAfterReference = next
        matched = 0
        phase = .reference
    }

    // MARK: Names

    /// A qualified name; returns `false` when it may continue.
    private mutating func name(
        _ bytes: borrowing RawSpan, _ i: inout Int, _ end: Int, collecting: Bool
    ) throws(XMLError) -> Bool {
        let start = i
        defer { if collecting { collectName(bytes, start, i) } }
        while i < end {
            let byte = bytes[i]
            if byte == UInt8(ascii: ":") {
                guard !sawColon, !isFirstOfName else { throw XMLError(.notWellFormed, at: i) }
                sawColon = true
                isFirstOfName = true
                i += 1
            } else if byte < 0x80 {
                let isPart =
                    isFirstOfName ? XMLCharacters.isASCIINameStart(byte) : XMLCharacters.isASCIINameCharacter(byte)
                guard isPart else {
                    guard !isFirstOfName else { throw XMLError(.notWellFormed, at: i) }
                    return true
                }
                isFirstOfName = false
                i += 1
            } else {
                guard try Tokenizer.nonASCIINameCharacter(bytes, &i, end, isFirst: isFirstOfName) else { return false }
                isFirstOfName = false
            }
        }
        return false
    }

    // MARK: Collected parts

    private mutating func collectName(_ bytes: borrowing RawSpan, _ start: Int, _ end: Int) {
        let room = ElementHead.maximumNameBytes + 1 - collected.count
        if room > 0, end > start { collected.append(contentsOf: bytes.bytes(start, min(room, end - start))) }
    }

    /// One byte more than a part may have is enough to show that it is too long.
    private mutating func collect(_ bytes: borrowing RawSpan, _ start: Int, _ end: Int) {
        guard part != nil else { return }
        let room = ElementHead.maximumPartBytes + 1 - collected.count
        if room > 0, end > start { collected.append(contentsOf: bytes.bytes(start, min(room, end - start))) }
    }

    private mutating func collect(_ scalar: UInt32) {
        guard part != nil, collected.count <= ElementHead.maximumPartBytes, let scalar = Unicode.Scalar(scalar) else {
            return
        }
        collected.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}
