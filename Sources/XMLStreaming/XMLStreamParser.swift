/// An event of a stream parser: the stream header, a complete element, or the closing tag.
public enum XMLStreamEvent: Sendable, Equatable {
    /// The stream header; the element has attributes and no children (RFC 6120 §4.2).
    case streamOpened(XMLElement)
    /// A complete element directly below the stream element, such as a stanza.
    case element(XMLElement)
    /// An element directly below the stream element that was skipped; reported only if
    /// ``XMLStreamParser/skipsUnreadableElements`` is set.
    indirect case unreadable(UnreadableElement)
    /// The end tag of the stream element (RFC 6120 §4.4).
    case streamClosed
}

/// Reads an XML stream (RFC 6120 §4) from bytes that arrive in pieces of any size.
///
/// The owner appends received bytes and pulls events until `next()` returns `nil`. It may stop in between: bytes that
/// follow `<proceed/>` in the same read stay unparsed and count in ``unconsumedByteCount``.
///
/// ```
/// var parser = XMLStreamParser()
/// parser.append(received)
/// while let event = try parser.next() { … }
/// ```
///
/// The parser accepts the subset of XML that RFC 6120 §11 allows and refuses the rest with a named error. Each element
/// is self-contained: it includes each namespace of the stream header that it uses, once. Time is linear in the number
/// of bytes, and ``XMLLimits/elementBytes`` limits memory. If ``skipsUnreadableElements`` is set, a well-formed element
/// is never an error.
public struct XMLStreamParser: ~Copyable, Sendable {
    private enum State {
        /// Before the header.
        case header
        case open
        /// The root was an empty-element tag; its end has yet to be reported.
        case closing
        case closed
        /// A stand-alone document, before and after its root element.
        case document
        case documentEnd
    }

    /// What the parser accepts. May change between events, for example after authentication.
    public var limits: XMLLimits

    /// Whether an element below the stream element that is well-formed XML, but exceeds a limit or breaks the rules of
    /// namespaces, is read to its end and reported as ``XMLStreamEvent/unreadable(_:)``. Otherwise it is an error, as
    /// is anything that breaks the grammar of XML.
    ///
    /// Initially off, while the peer is not authenticated. An authenticated server passes on what other users wrote,
    /// and that must not end the stream. Skipping takes constant memory, whatever the length or depth.
    public var skipsUnreadableElements = false

    private var state = State.header
    var buffer: [UInt8] = []
    /// The start of the current or next top-level element in the buffer.
    var position = 0
    /// Bytes that have left the buffer since the stream began.
    var discarded = 0
    var isInsideElement = false
    var tokenizer = Tokenizer()
    var builder = TapeBuilder()
    /// The start tag that the builder has not taken yet.
    var unfinishedTag: Tokenizer.Token?
    private var rootName: [UInt8] = []
    private static let usualRootName = Array("stream:stream".utf8)
    private var failure: XMLError?
    /// The element that is being skipped.
    @Rare var skipped: Skipped?
    /// The element below the stream element inside of which ``next()`` has failed, as far as its start tag says what it is;
    /// `nil` where that was not read.
    ///
    /// Its ``UnreadableElement/byteCount`` ends where the fault was seen.
    public internal(set) var brokenElement: UnreadableElement? {
        get { broken }
        set { broken = newValue }
    }
    @Rare private var broken: UnreadableElement?

    /// The buffer keeps its memory between reads up to this size.
    private static let keptBytes = 65_536

    public init(limits: XMLLimits = .beforeAuthentication) {
        self.limits = limits
    }

    /// A parser for one element without a stream around it.
    init(documentWithLimits limits: XMLLimits) {
        self.limits = limits
        state = .document
    }

    /// The namespace that the header declares for elements without a prefix, such as `jabber:client` (RFC 6120 §4.8.2).
    public var contentNamespace: String { String(decoding: builder.context.defaultNamespace, as: UTF8.self) }

    /// Reads the elements in the content namespace of the header as if they were in this one, whether they inherit it or
    /// declare it without a prefix.
    ///
    /// The stanzas of a component (XEP-0114) differ from those of a client only in this.
    package mutating func readContent(as namespace: String) {
        builder.replaceContentNamespace(by: Array(namespace.utf8))
    }

    /// Bytes that were appended and are not yet part of an event.
    public var unconsumedByteCount: Int { buffer.count - position }

    // MARK: Input

    /// Appends received bytes.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        makeRoom()
        buffer.append(contentsOf: bytes)
    }

    /// Appends received bytes, without a copy if the buffer is empty.
    public mutating func append(_ bytes: consuming [UInt8]) {
        makeRoom()
        if buffer.isEmpty {
            buffer = bytes
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    /// Lends up to `capacity` bytes of the parser's own buffer, for example to `recv`; the closure returns how many it
    /// filled.
    public mutating func append(
        capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
    ) rethrows {
        makeRoom()
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: capacity))
        var filled = 0
        defer { buffer.removeLast(capacity - filled) }
        filled = try buffer.withUnsafeMutableBytes { all in
            try fill(UnsafeMutableRawBufferPointer(rebasing: all[start...]))
        }
        precondition((0...capacity).contains(filled), "more bytes were filled than lent")
    }

    /// Prepares for a new stream on the same transport, after STARTTLS or authentication (RFC 6120 §4.3.3).
    ///
    /// Bytes that are not yet part of an event belong to the new stream.
    public mutating func reset() {
        buffer.removeSubrange(..<position)
        position = 0
        discarded = 0
        isInsideElement = false
        failure = nil
        skipped = nil
        brokenElement = nil
        rootName = []
        builder.forgetContext()
        state = .header
    }

    /// Gives back the memory of the buffer and of the tape, if everything in the buffer was read.
    package mutating func releaseMemory() {
        guard position == buffer.count, !isInsideElement, !_skipped.isPresent, buffer.capacity > 0 else { return }
        discarded += position
        position = 0
        buffer = []
        builder.releaseMemory()
        tokenizer.releaseMemory()
    }

    private mutating func makeRoom() {
        if position == buffer.count {
            discarded += position
            position = 0
            if buffer.capacity > XMLStreamParser.keptBytes {
                buffer = []
            } else {
                buffer.removeAll(keepingCapacity: true)
            }
        } else if position > buffer.count - position {
            discarded += position
            buffer.removeSubrange(..<position)
            position = 0
        }
    }

    // MARK: Output

    /// The next event, or `nil` when it needs more bytes. A stand-alone document produces one `.element`.
    public mutating func next() throws(XMLError) -> XMLStreamEvent? {
        if let failure { throw failure }
        do throws(XMLError) {
            return try !_skipped.isPresent ? advance() : skip()
        } catch {
            let known = XMLError(error.code, at: discarded + position + error.offset)
            guard skipsUnreadableElements, !_skipped.isPresent, state == .open, isInsideElement,
                error.leavesElementWellFormed
            else {
                failure = known
                if state == .open && isInsideElement { noteBrokenElement(because: known) }
                throw known
            }
            beginSkipping(because: known)
        }
        return try next()
    }

    /// The same as `next()`, with error offsets relative to `position`.
    private mutating func advance() throws(XMLError) -> XMLStreamEvent? {
        if state == .closing {
            state = .closed
            return .streamClosed
        }
        while true {
            if !isInsideElement {
                guard try beginElement() else { return nil }
            }
            let end = min(buffer.count, position + limits.elementBytes)
            if (state == .open || state == .document) && tokenizer.isBetweenTokens
                && XMLStreamParser.plainContent(buffer, position, end, &tokenizer, &builder, limits)
            {
                return .element(finish())
            }
            let token = try XMLStreamParser.token(buffer, position, end, &tokenizer, limits)
            switch token {
            case .incomplete:
                if buffer.count > end { throw XMLError(.elementTooLarge, at: end - position) }
                return nil
            case .startTag, .emptyElementTag:
                unfinishedTag = token
                if tokenizer.hasRawAttributes { try resolveAttributes() }
                let isEmpty = token == .emptyElementTag
                if state == .header { return .streamOpened(try open(isEmpty: isEmpty)) }
                guard state == .open || state == .document else { throw XMLError(.notWellFormed, at: 0) }
                try XMLStreamParser.startTag(buffer, position, &tokenizer, &builder, isEmpty, limits)
                unfinishedTag = nil
                if isEmpty && builder.depth == 0 { return .element(finish()) }
            case .endTag:
                if builder.depth == 0 { return try close() }
                builder.endTag(&tokenizer)
                if builder.depth == 0 { return .element(finish()) }
            case .text:
                try text(isCDATA: false)
            case .cdata:
                guard builder.depth > 0 else { throw XMLError(.textOutsideElement, at: 0) }
                try text(isCDATA: true)
            case .declaration:
                let start = position + tokenizer.textStart
                let content = Array(buffer[start..<start + tokenizer.textLength])
                try XMLDeclaration.check(content, at: tokenizer.textStart)
                position += tokenizer.cursor
                isInsideElement = false
            }
        }
    }

    /// Skips whitespace between elements, which keeps a connection alive and has no meaning (RFC 6120 §4.6.1).
    private mutating func beginElement() throws(XMLError) -> Bool {
        while position < buffer.count, XMLCharacters.isWhitespace(buffer[position]) { position += 1 }
        guard position < buffer.count else { return false }
        guard buffer[position] == UInt8(ascii: "<") else { throw XMLError(.textOutsideElement, at: 0) }
        guard state != .closed, state != .documentEnd else { throw XMLError(.notWellFormed, at: 0) }
        unfinishedTag = nil
        tokenizer.restart()
        tokenizer.allowsDeclaration =
            (state == .header || state == .document) && discarded + position == 0
        builder.begin()
        isInsideElement = true
        return true
    }

    /// Reads content on the fast path; returns `true` when that completes the element.
    @inline(__always)
    private static func plainContent(
        _ buffer: borrowing [UInt8], _ position: Int, _ end: Int, _ tokenizer: inout Tokenizer,
        _ builder: inout TapeBuilder, _ limits: borrowing XMLLimits
    ) -> Bool {
        let bytes = buffer.span.bytes.extracting(position..<end)
        var cursor = tokenizer.cursor
        let isComplete = builder.readPlainContent(bytes, &cursor, limits: limits)
        if cursor != tokenizer.cursor {
            tokenizer.skip(to: cursor)
            builder.passOpenName(to: &tokenizer)
        }
        return isComplete
    }

    @inline(__always)
    private static func token(
        _ buffer: borrowing [UInt8], _ position: Int, _ end: Int, _ tokenizer: inout Tokenizer,
        _ limits: borrowing XMLLimits
    ) throws(XMLError) -> Tokenizer.Token {
        try tokenizer.next(buffer.span.bytes.extracting(position..<end), limits: limits)
    }

    @inline(__always)
    private static func startTag(
        _ buffer: borrowing [UInt8], _ position: Int, _ tokenizer: inout Tokenizer, _ builder: inout TapeBuilder,
        _ isEmpty: Bool, _ limits: borrowing XMLLimits
    ) throws(XMLError) {
        let bytes = buffer.span.bytes.extracting(position..<position &+ tokenizer.cursor)
        try builder.startTag(&tokenizer, bytes, isEmpty: isEmpty, limits: limits)
    }

    @inline(__always)
    private mutating func text(isCDATA: Bool) throws(XMLError) {
        var length = tokenizer.textLength
        if tokenizer.textIsRaw {
            length = try XMLReferences.resolve(
                in: &buffer, from: position + tokenizer.textStart, length: length, isAttribute: false,
                isCDATA: isCDATA, elementStart: position)
        }
        builder.text(tokenizer.textStart, length)
    }

    private mutating func resolveAttributes() throws(XMLError) {
        for index in 0..<tokenizer.attributes.count {
            let attribute = tokenizer.attributes[index]
            let length = try XMLReferences.resolve(
                in: &buffer, from: position + attribute.value, length: attribute.valueLength, isAttribute: true,
                elementStart: position)
            tokenizer.setValueLength(length, ofAttribute: index)
        }
    }

    @inline(__always)
    private mutating func finish() -> XMLElement {
        if builder.raw.count > 0 { builder.resolveRaw(in: &buffer, from: position) }
        let element = XMLStreamParser.record(buffer, position, tokenizer.cursor, &builder)
        position += tokenizer.cursor
        isInsideElement = false
        if state == .document { state = .documentEnd }
        return element
    }

    @inline(__always)
    private static func record(
        _ buffer: borrowing [UInt8], _ position: Int, _ length: Int, _ builder: inout TapeBuilder
    ) -> XMLElement {
        XMLElement(
            record: builder.finish(buffer.span.bytes.extracting(position..<position &+ length)),
            index: TapeEntry.rootIndex)
    }

    private mutating func open(isEmpty: Bool) throws(XMLError) -> XMLElement {
        try XMLStreamParser.startTag(buffer, position, &tokenizer, &builder, true, limits)
        let name = position + tokenizer.nameStart
        let written = buffer[name..<name + tokenizer.nameLength]
        rootName = written.elementsEqual(Self.usualRootName) ? Self.usualRootName : Array(written)
        let header = XMLStreamParser.record(buffer, position, tokenizer.cursor, &builder)
        try builder.adoptContext(tokenizer, Array(buffer[position..<position + tokenizer.cursor]), limits: limits)
        position += tokenizer.cursor
        isInsideElement = false
        state = isEmpty ? .closing : .open
        return header
    }

    private mutating func close() throws(XMLError) -> XMLStreamEvent {
        let name = position + tokenizer.nameStart
        guard state == .open, buffer[name..<name + tokenizer.nameLength].elementsEqual(rootName) else {
            throw XMLError(.mismatchedEndTag, at: 0)
        }
        position += tokenizer.cursor
        isInsideElement = false
        state = .closed
        return .streamClosed
    }
}
