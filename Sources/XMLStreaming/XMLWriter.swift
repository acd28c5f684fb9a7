/// Writes XML into a buffer.
///
/// Whatever it is given, the result is well-formed: text and values are escaped, characters that XML does not allow
/// become U+FFFD, a name that is none gets `_` for each bad character, open elements are closed by `write(_:)`.
/// A namespace is declared where it changes and nowhere else; prefixes are used for `xml:lang`, for elements of the
/// stream namespace inside of a stream, and for attributes of other namespaces.
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
        /// Where name and default namespace stand in `scratch`; the scratch is cut back to `base` at the end tag.
        var base: Int
        var name: Int
        var nameLength: Int
        var namespace: Int
        var namespaceLength: Int
    }

    /// What has been written so far; an element whose start tag is still open to attributes lacks its `>`.
    public private(set) var bytes: [UInt8] = []

    /// The elements of the stream namespace are written with the prefix `stream`, which the stream header declares.
    private let inStream: Bool
    private var scratch: [UInt8]
    private var frames: [Frame] = []
    private let outerNamespaceLength: Int
    private var isTagOpen = false
    /// Where the names of the open tag's attributes stand in `bytes`.
    private var attributeNames: [Range<Int>] = []
    private var generatedPrefixes = 0

    /// - Parameters:
    ///   - defaultNamespace: the namespace in force around what is written, such as `jabber:client` inside of a stream.
    ///   - inStream: whether a stream header around it binds the prefix `stream`.
    public init(defaultNamespace: String = "", inStream: Bool = false) {
        scratch = Array(defaultNamespace.utf8)
        outerNamespaceLength = scratch.count
        self.inStream = inStream
    }

    /// Hands over what has been written and goes on with an empty buffer.
    public mutating func takeBytes() -> [UInt8] {
        closeTag()
        let result = bytes
        bytes = []
        return result
    }

    /// Makes room for bytes that will be written.
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
        // Nothing may be declared to be in the namespace of declarations (Namespaces in XML 1.0 §3).
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

    /// Closes the innermost open element; without content it becomes an empty-element tag.
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

    /// Writes an element that holds text.
    public mutating func element(_ name: XMLName, text: String) {
        start(name)
        self.text(text)
        end()
    }

    /// Writes an element with what the closure writes into it.
    public mutating func element(_ name: XMLName, _ content: (inout XMLWriter) -> Void = { _ in }) {
        start(name)
        let depth = frames.count
        content(&self)
        close(to: depth)
        if frames.count == depth { end() }
    }

    /// Writes a value; elements that it leaves open are closed.
    public mutating func write(_ value: some XMLEncodable) {
        let depth = frames.count
        value.encode(to: &self)
        close(to: depth)
    }

    private mutating func close(to depth: Int) {
        while frames.count > depth { end() }
    }

    // MARK: Attributes and text

    /// Writes an attribute in no namespace of the element just opened; `nil` writes nothing.
    ///
    /// `xml:lang` may be written by that name. Namespace declarations are the writer's own business: `xmlns` is left
    /// out, and so is an attribute that the element already has.
    public mutating func attribute(_ name: String, _ value: String?) {
        guard let value else { return }
        attribute(written: name.utf8.span.bytes, value.utf8.span.bytes)
    }

    /// Writes an attribute of any namespace, such as `XMLName.language`; `nil` writes nothing.
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

    /// Writes an attribute by its name as written.
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
