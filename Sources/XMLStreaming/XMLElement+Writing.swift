extension XMLElement: XMLEncodable {
    /// Creates the element that a value writes.
    ///
    /// A value must write exactly one element; if it writes several, only the first is used.
    public init(_ value: some XMLEncodable) {
        if let element = value as? XMLElement {
            self = element
            return
        }
        var writer = XMLWriter()
        writer.write(value)
        self.init(written: writer.takeBytes())
    }

    /// Creates an element with a name and the content that the closure writes.
    public init(_ name: XMLName, _ content: (inout XMLWriter) -> Void = { _ in }) {
        var writer = XMLWriter()
        writer.element(name, content)
        self.init(written: writer.takeBytes())
    }

    /// Creates an element that contains text.
    public init(_ name: XMLName, text: String) {
        self.init(name) { $0.text(text) }
    }

    private init(written bytes: [UInt8]) {
        var parser = XMLStreamParser(documentWithLimits: .unlimited)
        parser.append(bytes)
        if case .element(let element)? = try? parser.next() {
            self = element
        } else {
            assertionFailure("an XMLEncodable wrote no element")
            // The writer emits nothing that the parser refuses, so this value wrote nothing.
            let count = TapeEntry.rootIndex + 1
            record = [
                TapeEntry(.namespace, count, 0), TapeEntry(.namespace, 0, 0),
                TapeEntry(.element, 0, count, TapeEntry.inheritedNamespaceIndex),
            ]
            index = TapeEntry.rootIndex
        }
    }

    /// Copies the element; namespaces are declared again where the context differs.
    public func encode(to writer: inout XMLWriter) {
        var ends: [Int] = []
        let bytes = record.span.bytes
        let base = bytesOffset
        let last = Int(record[index].second)
        var position = index
        while position < last {
            while let end = ends.last, position >= end {
                writer.end()
                ends.removeLast()
            }
            let entry = record[position]
            if entry.isElement {
                let space = record[Int(entry.third)]
                writer.start(
                    bytes.extracting(base + entry.localOffset..<base + entry.localOffset + entry.localLength),
                    bytes.extracting(base + Int(space.first)..<base + Int(space.first) + Int(space.second)))
                ends.append(Int(entry.second))
            } else if entry.isAttribute {
                let value = bytes.extracting(base + Int(entry.second)..<base + Int(entry.second) + Int(entry.third))
                if entry.prefixLength == 0 || hasXMLPrefix(entry) {
                    writer.attribute(
                        written: bytes.extracting(
                            base + Int(entry.first)..<base + Int(entry.first) + entry.qualifiedLength),
                        value)
                } else {
                    writer.attribute(
                        XMLName(content(entry.localOffset, entry.localLength), namespaceOfAttribute(at: position)),
                        content(Int(entry.second), Int(entry.third)))
                    position += 1
                }
            } else if entry.isText {
                writer.text(bytes.extracting(base + Int(entry.first)..<base + Int(entry.first) + Int(entry.second)))
            }
            position += 1
        }
        for _ in ends { writer.end() }
    }
}
