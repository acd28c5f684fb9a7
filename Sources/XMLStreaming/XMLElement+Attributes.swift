extension XMLElement {
    /// The value of an attribute in no namespace, or of one such as `xml:lang` by its prefixed name.
    public subscript(_ attribute: String) -> String? {
        guard let entry = attributeEntry(attribute) else { return nil }
        return content(Int(entry.second), Int(entry.third))
    }

    /// The value of an attribute by its expanded name.
    public func attribute(_ name: XMLName) -> String? {
        if name.namespace.isEmpty { return self[name.local] }
        var position = index + 1
        while position < record.count, !record[position].isElement, !record[position].isText {
            let entry = record[position]
            if entry.isAttribute, entry.prefixLength > 0,
                contentEquals(entry.localOffset, entry.localLength, name.local),
                namespaceOfAttribute(at: position) == name.namespace
            {
                return content(Int(entry.second), Int(entry.third))
            }
            position += 1
        }
        return nil
    }

    /// Passes the bytes of an attribute's value, references resolved, to a closure without creating a string.
    package func withAttributeUTF8<Result>(
        _ attribute: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        guard let entry = attributeEntry(attribute) else { return nil }
        let start = bytesOffset + Int(entry.second)
        let value = record.span.bytes.extracting(start..<start + Int(entry.third))
        return value.withUnsafeBytes { bytes in bytes.withMemoryRebound(to: UInt8.self, body) }
    }

    /// All attributes in document order, without namespace declarations.
    public var attributes: Attributes { Attributes(element: self) }

    /// The attributes of one element.
    public struct Attributes: Sequence, Sendable {
        let element: XMLElement

        public func makeIterator() -> Iterator { Iterator(element: element, position: element.index + 1) }

        public struct Iterator: IteratorProtocol {
            let element: XMLElement
            var position: Int

            public mutating func next() -> (name: XMLName, value: String)? {
                let record = element.record
                let end = Int(record[element.index].second)
                while position < end, !record[position].isElement, !record[position].isText {
                    let entry = record[position]
                    defer { position += entry.isAttribute ? element.widthOfAttribute(entry) : 1 }
                    guard entry.isAttribute else { continue }
                    let local = element.content(entry.localOffset, entry.localLength)
                    let namespace = element.namespaceOfAttribute(at: position)
                    return (XMLName(local, namespace), element.content(Int(entry.second), Int(entry.third)))
                }
                return nil
            }
        }
    }

    /// The attribute with this name as written: without a prefix, or with the prefix `xml`.
    @inline(__always)
    func attributeEntry(_ name: String) -> TapeEntry? {
        let wanted = name.utf8.span.bytes
        let bytes = record.span.bytes
        let base = bytesOffset
        let end = Int(record[index].second)
        var position = index &+ 1
        while position < end {
            let entry = record[position]
            if entry.isElement || entry.isText { return nil }
            if entry.isAttribute && entry.qualifiedLength == wanted.byteCount
                && bytes.equals(base &+ entry.name, wanted, 0, entry.qualifiedLength)
                && (entry.prefixLength == 0 || hasXMLPrefix(entry))
            {
                return entry
            }
            position &+= 1
        }
        return nil
    }

    /// An attribute with a prefix other than `xml` is followed by its namespace.
    func widthOfAttribute(_ entry: TapeEntry) -> Int {
        entry.prefixLength > 0 && !hasXMLPrefix(entry) ? 2 : 1
    }

    func namespaceOfAttribute(at position: Int) -> String {
        let entry = record[position]
        if entry.prefixLength == 0 { return "" }
        if hasXMLPrefix(entry) { return XMLNamespace.xml }
        let space = record[position + 1]
        return content(Int(space.first), Int(space.second))
    }

    func hasXMLPrefix(_ entry: TapeEntry) -> Bool {
        entry.prefixLength == 4 && contentEquals(Int(entry.first), 4, "xml:")
    }
}
