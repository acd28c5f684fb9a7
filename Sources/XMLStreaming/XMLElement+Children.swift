extension XMLElement {
    /// The child elements in document order, without text.
    public var children: Children { Children(element: self) }

    /// The child elements with one name.
    public func children(_ name: XMLName) -> LazyFilterSequence<Children> {
        children.lazy.filter { $0.isNamed(name) }
    }

    /// The first child element with this name.
    public func firstChild(_ name: XMLName) -> XMLElement? { firstChild(name, from: index &+ 1) }

    /// The first child element with this name at or after this entry.
    func firstChild(_ name: XMLName, from start: Int) -> XMLElement? {
        name.local.withSpan { local in
            name.namespace.withSpan { namespace in firstChild(local, namespace, from: start) }
        }
    }

    private func firstChild(
        _ local: borrowing RawSpan, _ namespace: borrowing RawSpan, from start: Int
    ) -> XMLElement? {
        let bytes = record.span.bytes
        let base = bytesOffset
        let end = Int(record[index].second)
        var position = start
        while position < end {
            let entry = record[position]
            guard entry.isElement else {
                position &+= 1
                continue
            }
            if entry.localLength == local.byteCount
                && bytes.equals(base &+ entry.localOffset, local, 0, entry.localLength)
            {
                let space = record[Int(entry.third)]
                let length = Int(space.second)
                if length == namespace.byteCount && bytes.equals(base &+ Int(space.first), namespace, 0, length) {
                    return XMLElement(record: record, index: position)
                }
            }
            position = Int(entry.second)
        }
        return nil
    }

    /// Whether there is a child element of this namespace.
    package func hasChild(of namespace: String) -> Bool { namespace.withSpan { hasChild(of: $0) } }

    private func hasChild(of namespace: borrowing RawSpan) -> Bool {
        let bytes = record.span.bytes
        let base = bytesOffset
        let end = Int(record[index].second)
        var position = index &+ 1
        while position < end {
            let entry = record[position]
            guard entry.isElement else {
                position &+= 1
                continue
            }
            let space = record[Int(entry.third)]
            let length = Int(space.second)
            if length == namespace.byteCount && bytes.equals(base &+ Int(space.first), namespace, 0, length) {
                return true
            }
            position = Int(entry.second)
        }
        return false
    }

    /// The first child element, such as the payload of an IQ.
    public var firstChild: XMLElement? { children.first }

    /// The child elements of one element, found lazily.
    public struct Children: Sequence, Sendable {
        let element: XMLElement

        public var first: XMLElement? {
            var iterator = makeIterator()
            return iterator.next()
        }

        public var isEmpty: Bool { first == nil }

        public func makeIterator() -> Iterator { Iterator(element: element, position: element.index + 1) }

        public struct Iterator: IteratorProtocol {
            let element: XMLElement
            var position: Int

            public mutating func next() -> XMLElement? {
                let record = element.record
                let end = Int(record[element.index].second)
                while position < end {
                    let entry = record[position]
                    if entry.isElement {
                        defer { position = Int(entry.second) }
                        return XMLElement(record: record, index: position)
                    }
                    position += 1
                }
                return nil
            }
        }
    }
}

/// One piece of mixed content.
public enum XMLNode: Sendable, Hashable {
    case element(XMLElement)
    /// Character data; never empty, and never two in a row.
    case text(String)
}

extension XMLElement {
    /// Elements and text in document order, as in XHTML-IM.
    public var nodes: Nodes { Nodes(element: self) }

    /// The mixed content of one element.
    public struct Nodes: Sequence, Sendable {
        let element: XMLElement

        public func makeIterator() -> Iterator { Iterator(element: element, position: element.index + 1) }

        public struct Iterator: IteratorProtocol {
            let element: XMLElement
            var position: Int

            public mutating func next() -> XMLNode? {
                let record = element.record
                let end = Int(record[element.index].second)
                var text: String?
                while position < end {
                    let entry = record[position]
                    if entry.isElement {
                        if let text { return .text(text) }
                        defer { position = Int(entry.second) }
                        return .element(XMLElement(record: record, index: position))
                    }
                    if entry.isText { text = (text ?? "") + element.content(Int(entry.first), Int(entry.second)) }
                    position += 1
                }
                return text.map { .text($0) }
            }
        }
    }
}
