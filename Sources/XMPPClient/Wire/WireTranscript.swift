/// Turns the bytes of one direction of a connection into lines of text, one for each stanza or other element at the top of
/// the stream, in which secrets are masked (``WireSecrets``).
///
/// The bytes may arrive in pieces of any size. What is not well-formed is shown up to the error; after it nothing is shown
/// until the next connection, because it is not known any more what is a secret.
struct WireTranscript {
    /// The longest line in bytes; a longer element continues in the next line. A page of an archive has some hundred KiB.
    static let lineLimit = 16 << 10
    /// The largest tag in bytes. The parser of the stream accepts no attributes of this size.
    static let tagLimit = 256 << 10
    /// The deepest nesting; deeper elements are shown without their content.
    static let depthLimit = 128
    static let mask = Array("…".utf8)

    private enum Mode {
        case text
        /// After `<`, until the `>` that is not inside of quotes.
        case tag(quote: UInt8?)
        case data
        /// Nothing more is shown.
        case lost
    }

    private var mode = Mode.text
    private var tag: [UInt8] = []
    private var open: [OpenElement] = []
    private var line: [UInt8] = []
    /// Whether the text since the last tag was masked, so that one mask stands for all of it.
    private var isTextMasked = false
    private var lines: [String] = []

    /// The lines that are complete.
    mutating func append(_ bytes: some Sequence<UInt8>) -> [String] {
        for byte in bytes { append(byte) }
        // An unfinished stanza continues with the next bytes; white space between stanzas does not.
        if open.count <= base, case .text = mode { endLine() }
        defer { lines = [] }
        return lines
    }

    /// The depth of elements that have a line of their own: in a stream those inside of its root.
    private var base: Int { open.first?.isStream == true ? 1 : 0 }

    private mutating func append(_ byte: UInt8) {
        switch mode {
        case .lost: return
        case .text:
            guard byte == UInt8(ascii: "<") else { return appendText(byte) }
            tag = [byte]
            mode = .tag(quote: nil)
        case .data:
            tag.append(byte)
            if tag.suffix(3).elementsEqual("]]>".utf8) {
                tag = []
                mode = .text
            } else {
                if tag.count > 3 { tag.removeFirst() }
                appendText(byte)
            }
        case .tag(let quote):
            tag.append(byte)
            guard tag.count <= Self.tagLimit else { return lose() }
            if let quote {
                if byte == quote { mode = .tag(quote: nil) }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                mode = .tag(quote: byte)
            } else if byte == UInt8(ascii: ">") {
                mode = .text
                isTextMasked = false
                endTag()
            } else if tag.count == 9, tag.elementsEqual("<![CDATA[".utf8) {
                tag = []
                mode = .data
            }
        }
    }

    private mutating func appendText(_ byte: UInt8) {
        guard open.count > base else {
            // White space keeps the connection alive; anything else is not allowed here.
            if [0x20, 0x09, 0x0A, 0x0D].contains(byte) { return }
            return lose()
        }
        guard open.last?.isTextSecret != true else {
            if !isTextMasked { line += Self.mask }
            isTextMasked = true
            return
        }
        appendToLine(byte)
    }

    private mutating func endTag() {
        let text = tag
        tag = []
        switch text.dropFirst().first {
        case UInt8(ascii: "?"):
            guard open.count <= base else { return lose(text) }
            line += text
            endLine()
        case UInt8(ascii: "!"): lose(text)
        case UInt8(ascii: "/"):
            guard open.popLast() != nil else { return lose(text) }
            append(text)
            if open.count <= base { endLine() }
        default:
            guard let start = WireTag(text) else { return lose() }
            // A stream begins again after encryption and after a login, without the end of the one before (RFC 6120 §4.3.3).
            if start.isStreamRoot(in: open.last), open.count <= 1 { open = [] }
            guard open.count < Self.depthLimit else { return lose() }
            let element = OpenElement(start, in: open.last)
            append(start.masked(element))
            if !start.isEmpty { open.append(element) }
            if open.count <= base { endLine() }
        }
    }

    private mutating func append(_ bytes: [UInt8]) { for byte in bytes { appendToLine(byte) } }

    private mutating func appendToLine(_ byte: UInt8) {
        // Not in the middle of a character.
        if line.count >= Self.lineLimit, byte & 0xC0 != 0x80 { endLine() }
        line.append(byte)
    }

    private mutating func endLine() {
        if !line.isEmpty { lines.append(Self.visible(line)) }
        line = []
    }

    /// - Parameter tag: a part without secrets that explains what is wrong.
    private mutating func lose(_ tag: [UInt8] = []) {
        line += tag.prefix(80)
        endLine()
        lines.append("(What follows is not well-formed and is not shown.)")
        mode = .lost
        self.tag = []
    }

    /// A text on one line, in which characters that a terminal obeys stand as references.
    private static func visible(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "&#x" + String(scalar.value, radix: 16, uppercase: true) + ";"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// An element that has begun, as far as it matters for what is inside.
struct OpenElement {
    /// The namespaces of prefixes; the empty prefix is the default one.
    let namespaces: [String: String]
    let isStream: Bool
    /// Whether its text is a secret.
    let isTextSecret: Bool
    /// Whether the text of all elements inside is.
    let isContentSecret: Bool

    init(_ tag: WireTag, in parent: OpenElement?) {
        namespaces = tag.namespaces(in: parent)
        let name = tag.name(in: namespaces)
        isStream = name.local == "stream" && name.namespace == WireSecrets.streams
        let isContentSecret =
            parent?.isContentSecret == true || WireSecrets.hidesContent(name, attributes: tag.attributes)
        self.isContentSecret = isContentSecret
        isTextSecret = isContentSecret || WireSecrets.hidesText(name)
    }
}
