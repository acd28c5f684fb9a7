/// An element with all its content; an immutable value.
///
/// It is a view of the record that the parser created for a top-level element: the element's own bytes and a tape with
/// the positions of names, attributes, text and children. Reading a part creates only that part; copying an element or
/// extracting a child copies nothing and retains the whole record.
///
/// Two elements are equal when their content is equal: names, attributes in any order, text and the order of children.
/// Prefixes, quotes, CDATA sections and references make no difference.
public struct XMLElement: Sendable {
    let record: [TapeEntry]
    let index: Int

    @inline(__always)
    init(record: [TapeEntry], index: Int) {
        self.record = record
        self.index = index
    }

    /// The element's local name and namespace.
    public var name: XMLName { XMLName(localName, namespace) }

    /// The local part of the name.
    public var localName: String {
        let entry = record[index]
        return content(entry.localOffset, entry.localLength)
    }

    /// The namespace of the name; empty if there is none.
    public var namespace: String {
        let space = record[Int(record[index].third)]
        return content(Int(space.first), Int(space.second))
    }

    /// Whether the element has this name; cheaper than comparing ``name``.
    @inline(__always)
    public func isNamed(_ name: XMLName) -> Bool { isNamed(name, at: index) }

    /// `xml:lang` of this element itself; it also applies to children that have none of their own (XML 1.0 §2.12).
    public var language: String? { attribute(.language) }

    /// The character data directly inside the element, without that of its children.
    public var text: String {
        let end = Int(record[index].second)
        var position = index + 1
        var result: String?
        while position < end {
            let entry = record[position]
            if entry.isElement {
                position = Int(entry.second)
                continue
            }
            if entry.isText {
                let piece = content(Int(entry.first), Int(entry.second))
                if result == nil { result = piece } else { result?.append(piece) }
            }
            position += 1
        }
        return result ?? ""
    }

    /// For an element from the parser: its bytes on the wire. For a child: its bytes when written alone.
    public var byteCount: Int {
        if index == TapeEntry.rootIndex { return Int(record[TapeEntry.headerIndex].third) }
        var writer = XMLWriter()
        writer.write(self)
        return writer.bytes.count
    }

    // MARK: The record

    /// The start of the bytes in the record.
    @inline(__always)
    var bytesOffset: Int { Int(record[TapeEntry.headerIndex].first) &* TapeEntry.size }

    @inline(__always)
    func content(_ offset: Int, _ length: Int) -> String {
        if length == 0 { return "" }
        return record.span.bytes.string(bytesOffset &+ offset, length)
    }

    @inline(__always)
    func contentEquals(_ offset: Int, _ length: Int, _ string: String) -> Bool {
        string.utf8.count == length && record.span.bytes.equals(bytesOffset &+ offset, length, string)
    }

    @inline(__always)
    func isNamed(_ name: XMLName, at position: Int) -> Bool {
        let entry = record[position]
        guard contentEquals(entry.localOffset, entry.localLength, name.local) else { return false }
        let space = record[Int(entry.third)]
        return contentEquals(Int(space.first), Int(space.second), name.namespace)
    }
}

extension XMLElement: CustomStringConvertible {
    /// The element as a stand-alone XML document.
    public var description: String {
        var writer = XMLWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension XMLElement {
    /// Parses a stand-alone document: one element, optionally with an XML declaration before it.
    ///
    /// The same rules apply as for a stream (RFC 6120 §11): every prefix must be declared inside the document.
    public init(parsing document: String, limits: XMLLimits = .default) throws(XMLError) {
        try self.init(parsing: Array(document.utf8), limits: limits)
    }

    /// Parses the bytes of a stand-alone document.
    public init(parsing document: [UInt8], limits: XMLLimits = .default) throws(XMLError) {
        var parser = XMLStreamParser(documentWithLimits: limits)
        parser.append(document)
        guard case .element(let element)? = try parser.next() else {
            throw XMLError(.incompleteDocument, at: document.count)
        }
        _ = try parser.next()
        self = element
    }
}
