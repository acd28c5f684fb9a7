/// Writes XML into a buffer.
///
/// The result is well-formed for any input: text and values are escaped, characters that XML does not allow become
/// U+FFFD, invalid characters of a name become `_`, and `write(_:)` closes open elements. A namespace is declared only
/// where it changes; prefixes are used for `xml:lang`, for elements of the stream namespace inside a stream, and for
/// attributes of other namespaces.
///
/// ```
/// var writer = XMLWriter(defaultNamespace: "jabber:client")
/// writer.element(XMLName("message", "jabber:client")) { writer in
///     writer.attribute("to", "juliet@capulet.example")
///     writer.element(XMLName("body", "jabber:client"), text: "But soft!")
/// }
/// ```
public struct XMLWriter: Sendable {
    private struct Frame: BitwiseCopyable {
        /// The position of the written name in the output; of an element that was open when its bytes were taken, the
        /// complement of the position in `takenNames`.
        var name: Int
        var nameLength: Int
        /// The position of the default namespace in the output; of one that is written differently, that was taken, or that is
        /// the outermost, the complement of the position in `namespaces`.
        var namespace: Int
        var namespaceLength: Int
        /// The length to which `namespaces` is truncated at the end tag.
        var base: Int
    }

    private var output = OutputBuffer()

    /// Whether elements of the stream namespace are written with the prefix `stream`, which the stream header declares.
    private let inStream: Bool
    /// Default namespaces that are in force, the outermost first.
    private var namespaces: [UInt8]
    private var takenNames: [UInt8] = []
    private var frames: [Frame] = []
    private let outerNamespaceLength: Int
    private var isTagOpen = false
    /// A bit for each attribute of the open tag, by its name: only if the bit of another one is set, it may be there already.
    private var attributeMarks: UInt64 = 0
    private var generatedPrefixes = 0

    /// - Parameters:
    ///   - defaultNamespace: the default namespace of the context, such as `jabber:client` inside a stream.
    ///   - inStream: whether the surrounding stream header binds the prefix `stream`.
    public init(defaultNamespace: String = "", inStream: Bool = false) {
        namespaces = Array(defaultNamespace.utf8)
        outerNamespaceLength = namespaces.count
        self.inStream = inStream
    }

    /// A copy of what has been written so far. An element whose start tag still accepts attributes lacks its `>`.
    public var bytes: [UInt8] { Array(output.bytes(after: 0)) }

    /// The number of bytes that have been written so far.
    public var byteCount: Int { output.count }

    /// The bytes from `start` on.
    package func bytes(after start: Int) -> ArraySlice<UInt8> { output.bytes(after: start) }

    /// Returns what has been written and continues with an empty buffer.
    public mutating func takeBytes() -> [UInt8] {
        closeTag()
        if !frames.isEmpty { keepOpenNames() }
        return output.take()
    }

    /// Copies the names and namespaces of open elements out of the output.
    private mutating func keepOpenNames() {
        var kept = Array(namespaces[..<outerNamespaceLength])
        // Of the element around the next one: before the change, and after it.
        var (outer, outerKept) = (outermost, ~0)
        for index in frames.indices {
            var frame = frames[index]
            if frame.name >= 0 {
                let start = frame.name
                frame.name = ~takenNames.count
                takenNames += output.bytes(after: start).prefix(frame.nameLength)
            }
            frame.base = kept.count
            // An empty namespace has the position of what follows it.
            if frame.namespace != outer.namespace || frame.namespaceLength != outer.namespaceLength {
                outerKept = ~kept.count
                if frame.namespace >= 0 {
                    kept += output.bytes(after: frame.namespace).prefix(frame.namespaceLength)
                } else {
                    kept += namespaces[(~frame.namespace)...].prefix(frame.namespaceLength)
                }
            }
            outer = frame
            frame.namespace = outerKept
            frames[index] = frame
        }
        namespaces = kept
    }

    /// Removes what was written after the first `count` bytes. No element may be open.
    package mutating func removeBytes(after count: Int) {
        precondition(frames.isEmpty, "bytes are removed only between elements")
        output.truncate(to: count)
    }

    /// Appends bytes that are XML already. No element may be open.
    package mutating func append(written more: [UInt8]) {
        precondition(frames.isEmpty, "bytes are added only between elements")
        output.append(more)
    }

    /// Reserves capacity for bytes that will be written.
    public mutating func reserveCapacity(_ count: Int) { output.reserve(count) }

    // MARK: Elements

    /// Opens an element.
    public mutating func start(_ name: XMLName) {
        name.local.withSpan { local in name.namespace.withSpan { namespace in start(local, namespace) } }
    }

    mutating func start(_ local: borrowing RawSpan, _ namespace: borrowing RawSpan) {
        closeTag()
        var frame = frames.last ?? outermost
        frame.base = namespaces.count
        frame.nameLength = local.byteCount
        let length = namespace.byteCount
        let isSame = length == frame.namespaceLength && isInForce(namespace, frame)
        let kind = isSame ? .usual : NamespaceKind(namespace, inStream: inStream)
        frame.name = output.count &+ 1
        if isSame, output.appendTag(local) {
            // Written.
        } else if !isSame, kind == .usual, output.appendTag(local, declaring: namespace) {
            frame.namespace = frame.name &+ local.byteCount &+ OutputBuffer.declarationCount
            frame.namespaceLength = length
        } else {
            start(local, namespace, kind, isSame: isSame, &frame)
        }
        frames.append(frame)
        isTagOpen = true
        generatedPrefixes = 0
        attributeMarks = 0
    }

    /// What is around the first element.
    private var outermost: Frame {
        Frame(name: 0, nameLength: 0, namespace: ~0, namespaceLength: outerNamespaceLength, base: 0)
    }

    /// Whether a namespace of the same length is the default namespace.
    @inline(__always)
    private func isInForce(_ namespace: borrowing RawSpan, _ frame: Frame) -> Bool {
        if frame.namespace >= 0 {
            output.equals(frame.namespace..<frame.namespace &+ frame.namespaceLength, namespace)
        } else {
            namespaces.span.bytes.equals(~frame.namespace, namespace, 0, frame.namespaceLength)
        }
    }

    /// The same for a name or namespace that is written differently.
    private mutating func start(
        _ local: borrowing RawSpan, _ namespace: borrowing RawSpan, _ kind: NamespaceKind, isSame: Bool,
        _ frame: inout Frame
    ) {
        output.append(UInt8(ascii: "<"))
        switch kind {
        case .usual, .declarations: break
        case .xml: output.append("xml:".utf8.span.bytes)
        case .stream: output.append("stream:".utf8.span.bytes)
        }
        XMLEscaping.appendName(local, to: &output)
        frame.nameLength = output.count - frame.name
        switch kind {
        case .usual: if !isSame { declare(namespace, &frame) }
        // Nothing may be declared in the namespace of declarations (Namespaces in XML 1.0 §3).
        case .declarations: if frame.namespaceLength > 0 { declare(namespace.extracting(0..<0), &frame) }
        case .xml, .stream: break
        }
    }

    private mutating func declare(_ namespace: borrowing RawSpan, _ frame: inout Frame) {
        enter(namespace, &frame)
        output.append(" xmlns='".utf8.span.bytes)
        XMLEscaping.append(namespace, to: &output, isAttribute: true)
        output.append(UInt8(ascii: "'"))
    }

    private mutating func enter(_ namespace: borrowing RawSpan, _ frame: inout Frame) {
        frame.namespace = ~namespaces.count
        frame.namespaceLength = namespace.byteCount
        namespace.withUnsafeBytes { namespaces.append(contentsOf: $0) }
    }

    /// Closes the innermost open element. Without content it becomes an empty-element tag.
    public mutating func end() {
        guard let frame = frames.popLast() else { return }
        if isTagOpen {
            output.append(UInt8(ascii: "/"))
            output.append(UInt8(ascii: ">"))
            isTagOpen = false
        } else if frame.name >= 0 {
            output.appendEndTag(frame.name..<frame.name &+ frame.nameLength)
        } else {
            let name = takenNames[(~frame.name)...]
            output.append(Array("</".utf8) + name + [UInt8(ascii: ">")])
            takenNames.removeSubrange(name.startIndex...)
        }
        if frame.base < namespaces.count { namespaces.removeLast(namespaces.count &- frame.base) }
    }

    /// Writes an element that contains text.
    public mutating func element(_ name: XMLName, text: String) {
        start(name)
        self.text(text)
        end()
    }

    /// Writes an element with the content that the closure writes.
    public mutating func element(_ name: XMLName, _ content: (inout XMLWriter) -> Void = { _ in }) {
        start(name)
        let depth = frames.count
        content(&self)
        close(to: depth)
        if frames.count == depth { end() }
    }

    /// Writes a value and closes the elements that it leaves open.
    public mutating func write(_ value: some XMLEncodable) {
        let depth = frames.count
        value.encode(to: &self)
        close(to: depth)
    }

    private mutating func close(to depth: Int) {
        while frames.count > depth { end() }
    }

    // MARK: Attributes and text

    /// Writes an attribute in no namespace to the element that was just opened; `nil` writes nothing.
    ///
    /// `xml:lang` may be written by that name. The writer manages namespace declarations itself: `xmlns` is ignored,
    /// and so is an attribute that the element already has.
    public mutating func attribute(_ name: String, _ value: String?) {
        guard let value else { return }
        name.withSpan { name in value.withSpan { value in attribute(written: name, value) } }
    }

    /// Writes an attribute in any namespace, such as `XMLName.language`; `nil` writes nothing.
    public mutating func attribute(_ name: XMLName, _ value: String?) {
        guard let value, isTagOpen, name.namespace != XMLNamespace.xmlns else { return }
        if name.namespace.isEmpty {
            attribute(written: name.local.utf8.span.bytes, value.utf8.span.bytes)
        } else if name.namespace == XMLNamespace.xml {
            let written = "xml:" + name.local
            attribute(written: written.utf8.span.bytes, value.utf8.span.bytes)
        } else {
            generatedPrefixes += 1
            let prefix = "ns\(generatedPrefixes)"
            output.append(" xmlns:\(prefix)='".utf8.span.bytes)
            XMLEscaping.append(name.namespace.utf8.span.bytes, to: &output, isAttribute: true)
            output.append("' \(prefix):".utf8.span.bytes)
            XMLEscaping.appendName(name.local.utf8.span.bytes, to: &output)
            attributeValue(value.utf8.span.bytes)
        }
    }

    /// Writes an attribute by its qualified name.
    mutating func attribute(written name: borrowing RawSpan, _ value: borrowing RawSpan) {
        guard isTagOpen, !(name.byteCount == 5 && name.equals(0, 5, "xmlns")) else { return }
        let mark = Self.mark(name)
        if attributeMarks & mark != 0, hasAttribute(name) { return }
        guard let plain = output.appendAttribute(name, value) else { return attribute(corrected: name, value) }
        attributeMarks |= mark
        if plain < value.byteCount {
            XMLEscaping.append(value, from: plain, to: &output, isAttribute: true)
            output.append(UInt8(ascii: "'"))
        }
    }

    /// The same for a name that is written differently, or has the prefix `xml`.
    private mutating func attribute(corrected name: borrowing RawSpan, _ value: borrowing RawSpan) {
        var corrected = OutputBuffer()
        if name.byteCount > 4 && name.extracting(0..<4).equals(0, 4, "xml:") {
            corrected.append("xml:".utf8.span.bytes)
            XMLEscaping.appendName(name.extracting(4..<name.byteCount), to: &corrected)
        } else {
            XMLEscaping.appendName(name, to: &corrected)
        }
        let written = corrected.take()
        let mark = Self.mark(written.span.bytes)
        if attributeMarks & mark != 0, hasAttribute(written.span.bytes) { return }
        attributeMarks |= mark
        output.append(UInt8(ascii: " "))
        output.append(written)
        attributeValue(value)
    }

    /// One of 64 bits for a name.
    @inline(__always)
    private static func mark(_ name: borrowing RawSpan) -> UInt64 {
        let length = name.byteCount
        guard length > 0 else { return 1 }
        return 1 &<< UInt64(truncatingIfNeeded: Int(name[0]) &+ Int(name[length &- 1]) &* 5 &+ length &* 11)
    }

    /// Whether the open tag has an attribute with this name, as it is written.
    private func hasAttribute(_ name: borrowing RawSpan) -> Bool {
        guard let frame = frames.last else { return false }
        let end = output.count
        var position = frame.name + frame.nameLength
        // Each one is a space, the name, `=`, and the value in quotes, in which the quote is escaped.
        while position < end {
            let start = position + 1
            position = start
            while position < end, output[position] != UInt8(ascii: "=") { position += 1 }
            if output.equals(start..<position, name) { return true }
            position += 2
            while position < end, output[position] != UInt8(ascii: "'") { position += 1 }
            position += 1
        }
        return false
    }

    private mutating func attributeValue(_ value: borrowing RawSpan) {
        output.append("='".utf8.span.bytes)
        XMLEscaping.append(value, to: &output, isAttribute: true)
        output.append(UInt8(ascii: "'"))
    }

    /// Writes character data.
    public mutating func text(_ string: String) {
        string.withSpan { text($0) }
    }

    mutating func text(_ string: borrowing RawSpan) {
        guard string.byteCount > 0 else { return }
        closeTag()
        XMLEscaping.append(string, to: &output, isAttribute: false)
    }

    private mutating func closeTag() {
        guard isTagOpen else { return }
        output.append(UInt8(ascii: ">"))
        isTagOpen = false
    }

    /// The namespaces that are not declared like others.
    private enum NamespaceKind {
        case usual, xml, stream, declarations

        init(_ namespace: borrowing RawSpan, inStream: Bool) {
            let length = namespace.byteCount
            if length == XMLNamespace.xmlBytes.count, namespace.equals(0, length, XMLNamespace.xmlBytes) {
                self = .xml
            } else if length == XMLNamespace.xmlnsBytes.count, namespace.equals(0, length, XMLNamespace.xmlnsBytes) {
                self = .declarations
            } else if inStream, length == XMLNamespace.streamsBytes.count,
                namespace.equals(0, length, XMLNamespace.streamsBytes)
            {
                self = .stream
            } else {
                self = .usual
            }
        }
    }
}

extension XMLWriter {
    /// The opening of a stream: XML declaration and stream header (RFC 6120 §4.7).
    ///
    /// ```
    /// C: <?xml version='1.0'?><stream:stream to='im.example.com' version='1.0' xml:lang='en'
    ///    xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
    /// ```
    public static func streamHeader(
        namespace: String = "jabber:client", to: String? = nil, from: String? = nil, id: String? = nil,
        language: String? = nil, version: String? = "1.0"
    ) -> [UInt8] {
        var output = OutputBuffer()
        output.append("<?xml version='1.0'?><stream:stream".utf8.span.bytes)
        func attribute(_ name: String, _ value: String?) {
            guard let value else { return }
            output.append(" \(name)='".utf8.span.bytes)
            XMLEscaping.append(value.utf8.span.bytes, to: &output, isAttribute: true)
            output.append(UInt8(ascii: "'"))
        }
        attribute("from", from)
        attribute("to", to)
        attribute("id", id)
        attribute("version", version)
        attribute("xml:lang", language)
        attribute("xmlns", namespace)
        attribute("xmlns:stream", XMLNamespace.streams)
        output.append(UInt8(ascii: ">"))
        return output.take()
    }

    /// The closing tag of a stream (RFC 6120 §4.4).
    public static let streamFooter = Array("</stream:stream>".utf8)
}
