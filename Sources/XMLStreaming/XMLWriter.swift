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
        /// The default namespace in `namespaces`, which is truncated to `base` at the end tag.
        var base: Int
        var namespace: Int
        var namespaceLength: Int
    }

    private var output = OutputBuffer()

    /// Whether elements of the stream namespace are written with the prefix `stream`, which the stream header declares.
    private let inStream: Bool
    /// The default namespaces that are in force, the outermost first.
    private var namespaces: [UInt8]
    private var takenNames: [UInt8] = []
    private var frames: [Frame] = []
    private let outerNamespaceLength: Int
    private var isTagOpen = false
    /// The positions of the names of the open tag's attributes in the output.
    private var attributeNames: [Range<Int>] = []
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
        for index in frames.indices where frames[index].name >= 0 {
            let (start, length) = (frames[index].name, frames[index].nameLength)
            frames[index].name = ~takenNames.count
            takenNames += output.bytes(after: start).prefix(length)
        }
        return output.take()
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
        start(name.local.utf8.span.bytes, name.namespace.utf8.span.bytes)
    }

    mutating func start(_ local: borrowing RawSpan, _ namespace: borrowing RawSpan) {
        closeTag()
        let base = namespaces.count
        var frame =
            if let outer = frames.last {
                Frame(
                    name: 0, nameLength: 0, base: base, namespace: outer.namespace,
                    namespaceLength: outer.namespaceLength)
            } else {
                Frame(name: 0, nameLength: 0, base: base, namespace: 0, namespaceLength: outerNamespaceLength)
            }
        let length = namespace.byteCount
        let isSame =
            length == frame.namespaceLength && namespaces.span.bytes.equals(frame.namespace, namespace, 0, length)
        let kind = isSame ? .usual : NamespaceKind(namespace, inStream: inStream)
        frame.name = output.count &+ 1
        frame.nameLength = local.byteCount
        if kind == .usual, XMLEscaping.isPlainName(local), isSame || XMLEscaping.isPlain(namespace) {
            if isSame {
                output.appendTag(local)
            } else {
                enter(namespace, &frame)
                output.appendTag(local, declaring: namespace)
            }
        } else {
            start(local, namespace, kind, isSame: isSame, &frame)
        }
        frames.append(frame)
        isTagOpen = true
        generatedPrefixes = 0
        if !attributeNames.isEmpty { attributeNames.removeAll(keepingCapacity: true) }
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
        frame.namespace = namespaces.count
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
        if frame.base < namespaces.count { namespaces.removeLast(namespaces.count - frame.base) }
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
        attribute(written: name.utf8.span.bytes, value.utf8.span.bytes)
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
        let start = output.count
        guard XMLEscaping.isPlainName(name) else { return attribute(corrected: name, value) }
        for known in attributeNames where output.equals(known, name) { return }
        attributeNames.append(start &+ 1..<start &+ 1 &+ name.byteCount)
        if XMLEscaping.isPlain(value) {
            output.appendAttribute(name, value)
        } else {
            output.append(UInt8(ascii: " "))
            output.append(name)
            attributeValue(value)
        }
    }

    /// The same for a name that is written differently, or has the prefix `xml`.
    private mutating func attribute(corrected name: borrowing RawSpan, _ value: borrowing RawSpan) {
        let start = output.count
        output.append(UInt8(ascii: " "))
        if name.byteCount > 4 && name.extracting(0..<4).equals(0, 4, "xml:") {
            output.append("xml:".utf8.span.bytes)
            XMLEscaping.appendName(name.extracting(4..<name.byteCount), to: &output)
        } else {
            XMLEscaping.appendName(name, to: &output)
        }
        let range = start + 1..<output.count
        for known in attributeNames where output.equals(known, range) {
            output.truncate(to: start)
            return
        }
        attributeNames.append(range)
        attributeValue(value)
    }

    private mutating func attributeValue(_ value: borrowing RawSpan) {
        output.append("='".utf8.span.bytes)
        XMLEscaping.append(value, to: &output, isAttribute: true)
        output.append(UInt8(ascii: "'"))
    }

    /// Writes character data.
    public mutating func text(_ string: String) {
        text(string.utf8.span.bytes)
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
