extension XMLElement {
    /// The child elements in document order, text left out.
    public var children: Children { Children(element: self) }

    /// The child elements with one name.
    public func children(_ name: XMLName) -> LazyFilterSequence<Children> {
        children.lazy.filter { $0.isNamed(name) }
    }

    /// The first child element with this name.
    public func firstChild(_ name: XMLName) -> XMLElement? { firstChild(name, from: index &+ 1) }

    /// The first child element with this name that begins at this entry or later.
    func firstChild(_ name: XMLName, from start: Int) -> XMLElement? {
        let local = name.local.utf8.span.bytes
        let namespace = name.namespace.utf8.span.bytes
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

    /// The first child element, such as the payload of an IQ.
    public var firstChild: XMLElement? { children.first }

    /// The child elements of one element, found as they are asked for.
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
