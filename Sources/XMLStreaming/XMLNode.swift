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
