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
        /// The position of name and default namespace in `scratch`, which is truncated to `base` at the end tag.
        var base: Int
        var name: Int
        var nameLength: Int
        var namespace: Int
        var namespaceLength: Int
    }

    /// What has been written so far. An element whose start tag still accepts attributes lacks its `>`.
    public private(set) var bytes: [UInt8] = []

    /// Whether elements of the stream namespace are written with the prefix `stream`, which the stream header declares.
    private let inStream: Bool
    private var scratch: [UInt8]
    private var frames: [Frame] = []
    private let outerNamespaceLength: Int
    private var isTagOpen = false
    /// The positions of the names of the open tag's attributes in `bytes`.
    private var attributeNames: [Range<Int>] = []
    private var generatedPrefixes = 0

    /// - Parameters:
    ///   - defaultNamespace: the default namespace of the context, such as `jabber:client` inside a stream.
    ///   - inStream: whether the surrounding stream header binds the prefix `stream`.
    public init(defaultNamespace: String = "", inStream: Bool = false) {
        scratch = Array(defaultNamespace.utf8)
        outerNamespaceLength = scratch.count
        self.inStream = inStream
    }

    /// Returns what has been written and continues with an empty buffer.
    public mutating func takeBytes() -> [UInt8] {
        closeTag()
        let result = bytes
        bytes = []
        return result
    }

    /// Reserves capacity for bytes that will be written.
    public mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    // MARK: Elements

    /// Opens an element.
    public mutating func start(_ name: XMLName) {
        start(name.local.utf8.span.bytes, name.namespace.utf8.span.bytes)
    }

    mutating func start(_ local: borrowing RawSpan, _ namespace: borrowing RawSpan) {
        closeTag()
        let outer = frames.last
        let outerNamespace = outer?.namespace ?? 0
        let outerLength = outer?.namespaceLength ?? outerNamespaceLength
        var frame = Frame(
            base: scratch.count, name: scratch.count, nameLength: 0, namespace: outerNamespace,
            namespaceLength: outerLength)
        bytes.append(UInt8(ascii: "<"))
        let isXML = XMLWriter.equal(namespace, XMLNamespace.xmlBytes)
        let isStream = inStream && XMLWriter.equal(namespace, XMLNamespace.streamsBytes)
        // Nothing may be declared in the namespace of declarations (Namespaces in XML 1.0 §3).
        let isXMLNS = XMLWriter.equal(namespace, XMLNamespace.xmlnsBytes)
        if isXML { scratch.append(contentsOf: "xml:".utf8) }
        if isStream { scratch.append(contentsOf: "stream:".utf8) }
        XMLEscaping.appendName(local, to: &scratch)
        frame.nameLength = scratch.count - frame.name
        bytes.append(contentsOf: scratch[frame.name...])
        if !isXML && !isStream {
            let length = isXMLNS ? 0 : namespace.byteCount
            let isSame = length == outerLength && scratch.span.bytes.equals(outerNamespace, namespace, 0, length)
            if !isSame {
                frame.namespace = scratch.count
                frame.namespaceLength = length
                namespace.extracting(0..<length).withUnsafeBytes { scratch.append(contentsOf: $0) }
                bytes.append(contentsOf: " xmlns='".utf8)
                XMLEscaping.append(namespace.extracting(0..<length), to: &bytes, isAttribute: true)
                bytes.append(UInt8(ascii: "'"))
            }
        }
        frames.append(frame)
        isTagOpen = true
        generatedPrefixes = 0
        attributeNames.removeAll(keepingCapacity: true)
    }

    /// Closes the innermost open element. Without content it becomes an empty-element tag.
    public mutating func end() {
        guard let frame = frames.popLast() else { return }
        if isTagOpen {
            bytes.append(contentsOf: "/>".utf8)
            isTagOpen = false
        } else {
            bytes.append(contentsOf: "</".utf8)
            bytes.append(contentsOf: scratch[frame.name..<frame.name + frame.nameLength])
            bytes.append(UInt8(ascii: ">"))
        }
        scratch.removeSubrange(frame.base...)
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
            bytes.append(contentsOf: " xmlns:\(prefix)='".utf8)
            XMLEscaping.append(name.namespace.utf8.span.bytes, to: &bytes, isAttribute: true)
            bytes.append(contentsOf: "' \(prefix):".utf8)
            XMLEscaping.appendName(name.local.utf8.span.bytes, to: &bytes)
            attributeValue(value.utf8.span.bytes)
        }
    }

    /// Writes an attribute by its qualified name.
    mutating func attribute(written name: borrowing RawSpan, _ value: borrowing RawSpan) {
        guard isTagOpen, !XMLWriter.equal(name, XMLWriter.xmlns) else { return }
        let start = bytes.count
        bytes.append(UInt8(ascii: " "))
        if name.byteCount > 4 && name.extracting(0..<4).equals(0, 4, "xml:") {
            bytes.append(contentsOf: "xml:".utf8)
            XMLEscaping.appendName(name.extracting(4..<name.byteCount), to: &bytes)
        } else {
            XMLEscaping.appendName(name, to: &bytes)
        }
        let range = start + 1..<bytes.count
        for known in attributeNames where known.count == range.count && bytes[known].elementsEqual(bytes[range]) {
            bytes.removeSubrange(start...)
            return
        }
        attributeNames.append(range)
        attributeValue(value)
    }

    private static let xmlns = Array("xmlns".utf8)

    private mutating func attributeValue(_ value: borrowing RawSpan) {
        bytes.append(contentsOf: "='".utf8)
        XMLEscaping.append(value, to: &bytes, isAttribute: true)
        bytes.append(UInt8(ascii: "'"))
    }

    /// Writes character data.
    public mutating func text(_ string: String) {
        text(string.utf8.span.bytes)
    }

    mutating func text(_ string: borrowing RawSpan) {
        guard string.byteCount > 0 else { return }
        closeTag()
        XMLEscaping.append(string, to: &bytes, isAttribute: false)
    }

    private mutating func closeTag() {
        guard isTagOpen else { return }
        bytes.append(UInt8(ascii: ">"))
        isTagOpen = false
    }

    private static func equal(_ bytes: borrowing RawSpan, _ other: [UInt8]) -> Bool {
        bytes.equals(0, bytes.byteCount, other)
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
        var bytes = Array("<?xml version='1.0'?><stream:stream".utf8)
        func attribute(_ name: String, _ value: String?) {
            guard let value else { return }
            bytes.append(contentsOf: " \(name)='".utf8)
            XMLEscaping.append(value.utf8.span.bytes, to: &bytes, isAttribute: true)
            bytes.append(UInt8(ascii: "'"))
        }
        attribute("from", from)
        attribute("to", to)
        attribute("id", id)
        attribute("version", version)
        attribute("xml:lang", language)
        attribute("xmlns", namespace)
        attribute("xmlns:stream", XMLNamespace.streams)
        bytes.append(UInt8(ascii: ">"))
        return bytes
    }

    /// The closing tag of a stream (RFC 6120 §4.4).
    public static let streamFooter = Array("</stream:stream>".utf8)
}
