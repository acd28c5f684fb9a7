public import XMLStreaming

/// The children of a stanza, in order: those received first, those added by the program after them.
///
/// What was received stays in the record of the stanza's bytes and is read from there, one child at a time; no tree and
/// no array is made. What is added keeps its own type until the stanza is written, so sending costs no detour over
/// text.
public struct Payloads: Sequence, Sendable {
    private var received: XMLElement?
    private var added: [Entry] = []

    /// No payloads.
    public init() {}

    /// The children of a received stanza.
    init(of stanza: XMLElement) {
        received = stanza
    }

    public struct Iterator: IteratorProtocol {
        private var received: XMLElement.Children.Iterator?
        private var added: ArraySlice<Entry>

        fileprivate init(_ payloads: Payloads) {
            received = payloads.received?.children.makeIterator()
            added = payloads.added[...]
        }

        public mutating func next() -> XMLElement? {
            if let child = received?.next() { return child }
            received = nil
            return added.popFirst()?.element
        }
    }

    public func makeIterator() -> Iterator { Iterator(self) }

    public var isEmpty: Bool {
        guard added.isEmpty else { return false }
        guard let received else { return true }
        return received.firstChild == nil
    }

    /// The stanza that all children are still in as they were received.
    var untouched: XMLElement? { added.isEmpty ? received : nil }

    /// The first payload with that name.
    public func first(_ name: XMLName) -> XMLElement? {
        if let child = received?.firstChild(name) { return child }
        return added.first { $0.isNamed(name) }?.element
    }

    public func contains(_ name: XMLName) -> Bool {
        if let received, received.firstChild(name) != nil { return true }
        return added.contains { $0.isNamed(name) }
    }

    /// The first payload of type `P`, or `nil` if there is none; throws if it is there but cannot be read.
    public func decode<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> P? {
        if let child = received?.firstChild(P.name) { return try P(from: child) }
        for entry in added {
            if let payload = try entry.decode(type) { return payload }
        }
        return nil
    }

    /// All payloads of type `P`; throws if one of them cannot be read.
    public func decodeAll<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> [P] {
        var all: [P] = []
        if let received {
            for child in received.children where child.isNamed(P.name) { all.append(try P(from: child)) }
        }
        for entry in added {
            if let payload = try entry.decode(type) { all.append(payload) }
        }
        return all
    }

    /// Adds a payload after the others.
    public mutating func append(_ payload: any XMLEncodable) {
        if let element = payload as? XMLElement {
            added.append(.element(element))
        } else {
            added.append(.value(payload))
        }
    }

    /// Takes away every payload with that name.
    public mutating func removeAll(named name: XMLName) {
        if let received, received.firstChild(name) != nil {
            let kept = received.children.filter { !$0.isNamed(name) }.map(Entry.element)
            added.insert(contentsOf: kept, at: 0)
            self.received = nil
        }
        added.removeAll { $0.isNamed(name) }
    }

    /// Takes away the payloads for which the condition holds.
    public mutating func removeAll(where condition: (XMLElement) -> Bool) {
        added = filter { !condition($0) }.map(Entry.element)
        received = nil
    }

    mutating func append(_ text: TextElement) {
        added.append(.text(text))
    }

    func encode(to writer: inout XMLWriter) {
        if let received {
            for child in received.children { writer.write(child) }
        }
        for entry in added { entry.encode(to: &writer) }
    }
}

extension Payloads: Hashable {
    public static func == (left: Payloads, right: Payloads) -> Bool { left.elementsEqual(right) }

    public func hash(into hasher: inout Hasher) {
        for payload in self { hasher.combine(payload) }
    }
}

extension Payloads: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: any XMLEncodable...) {
        for element in elements { append(element) }
    }
}

extension Payloads {
    /// A payload that the program added.
    fileprivate enum Entry: Sendable {
        case element(XMLElement)
        case text(TextElement)
        case value(any XMLEncodable)

        var element: XMLElement {
            switch self {
            case .element(let element): element
            case .text(let text): XMLElement(text)
            case .value(let value): XMLElement(value)
            }
        }

        func isNamed(_ name: XMLName) -> Bool {
            switch self {
            case .element(let element): element.isNamed(name)
            case .text(let text): text.name == name
            case .value(let value as any XMLPayload): type(of: value).name == name
            case .value(let value): XMLElement(value).isNamed(name)
            }
        }

        func decode<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> P? {
            if case .value(let value) = self, let payload = value as? P { return payload }
            return isNamed(P.name) ? try P(from: element) : nil
        }

        func encode(to writer: inout XMLWriter) {
            switch self {
            case .element(let element): writer.write(element)
            case .text(let text): text.encode(to: &writer)
            case .value(let value): value.encode(to: &writer)
            }
        }
    }
}
