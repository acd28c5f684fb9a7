public import XMLStreaming

/// The children of a stanza in order: first those received, then those that the program added.
///
/// Received children stay in the record of the stanza's bytes and are read from there one at a time; neither a tree nor
/// an array is created. Added children keep their own type until the stanza is written, so sending does not serialise
/// them twice.
public struct Payloads: Sequence, Sendable {
    private var received: XMLElement?
    private var added: [Entry] = []
    /// What was decoded of the received children, where that is remembered.
    package private(set) var decoded: DecodedPayloads?

    /// No payloads.
    public init() {}

    /// The children of a received stanza.
    init(of stanza: XMLElement) {
        received = stanza
    }

    /// From now on each type of received payload is decoded once, for this value and all copies of it: for a stanza that many parts
    /// of a program look at.
    package mutating func rememberDecoded() {
        if received != nil, decoded == nil { decoded = DecodedPayloads() }
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

    /// The received stanza, if it still contains all its children and no others.
    var untouched: XMLElement? { added.isEmpty ? received : nil }

    /// The size of the whole stanza as it was received, if nothing of its content was changed.
    package var receivedByteCount: Int? { untouched?.byteCount }

    /// The first payload with that name.
    public func first(_ name: XMLName) -> XMLElement? {
        if let child = received?.firstChild(name) { return child }
        return added.first { $0.isNamed(name) }?.element
    }

    public func contains(_ name: XMLName) -> Bool {
        if let received, received.firstChild(name) != nil { return true }
        return added.contains { $0.isNamed(name) }
    }

    /// Whether there is a payload of this namespace: one look at the payloads for several names.
    package func contains(namespace: String) -> Bool {
        if let received, received.hasChild(of: namespace) { return true }
        return added.contains { $0.element.name.namespace == namespace }
    }

    /// The first payload of type `P`, or `nil` if there is none; throws if it exists but is invalid.
    public func decode<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> P? {
        if let child = received?.firstChild(P.name) {
            guard let decoded else { return try P(from: child) }
            return try decoded.value(P.self) { () throws(XMLDecodingError) in try P(from: child) }
        }
        return added.isEmpty ? nil : try decodeAdded(type)
    }

    /// The same among the added ones. Received stanzas, which are many, have none, and need not ask how large an optional `P` is.
    @inline(never)
    private func decodeAdded<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> P? {
        for entry in added {
            if let payload = try entry.decode(type) { return payload }
        }
        return nil
    }

    /// All payloads of type `P`; throws if one of them is invalid.
    public func decodeAll<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> [P] {
        var all: [P] = []
        if let received {
            if let decoded {
                all = try decoded.value([P].self) { () throws(XMLDecodingError) in try Self.all(type, in: received) }
            } else {
                all = try Self.all(type, in: received)
            }
        }
        for entry in added {
            if let payload = try entry.decode(type) { all.append(payload) }
        }
        return all
    }

    private static func all<P: XMLPayload>(_ type: P.Type, in stanza: XMLElement) throws(XMLDecodingError) -> [P] {
        var all: [P] = []
        for child in stanza.children where child.isNamed(P.name) { all.append(try P(from: child)) }
        return all
    }

    /// Appends a payload.
    public mutating func append(_ payload: some XMLEncodable) {
        if added.isEmpty { added.reserveCapacity(Self.usualCount) }
        added.append(Entry(value: payload))
    }

    /// Removes every payload with that name.
    public mutating func removeAll(named name: XMLName) {
        if let received, received.firstChild(name) != nil {
            let kept = received.children.filter { !$0.isNamed(name) }.map(Entry.init)
            added.insert(contentsOf: kept, at: 0)
            self.received = nil
            decoded = nil
        }
        added.removeAll { $0.isNamed(name) }
    }

    /// Removes the payloads that satisfy the condition.
    public mutating func removeAll(where condition: (XMLElement) -> Bool) {
        added = filter { !condition($0) }.map(Entry.init)
        received = nil
        decoded = nil
    }

    /// The room that the first added payload reserves: a chat message has a body, a receipt request, an identifier and a state.
    private static let usualCount = 4

    func encode(to writer: inout XMLWriter) {
        if let received {
            for child in received.children { writer.write(child) }
        }
        // Through a span, because an iterator copies each entry.
        let entries = added.span
        for index in entries.indices { entries[index].value.encode(to: &writer) }
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
    fileprivate struct Entry: Sendable {
        let value: any XMLEncodable

        var element: XMLElement { known(as: XMLElement.self) ?? XMLElement(value) }

        func isNamed(_ name: XMLName) -> Bool {
            if let element = known(as: XMLElement.self) { return element.isNamed(name) }
            if let text = known(as: TextElement.self) { return text.name == name }
            if type(of: value) == BodyText.self { return name == Message.bodyName }
            if let payload = value as? any XMLPayload { return type(of: payload).name == name }
            return element.isNamed(name)
        }

        /// Types are compared before a cast, because a cast that fails is slow.
        private func known<Value>(as type: Value.Type) -> Value? {
            Swift.type(of: value) == type ? value as? Value : nil
        }

        func decode<P: XMLPayload>(_ type: P.Type) throws(XMLDecodingError) -> P? {
            if let payload = value as? P { return payload }
            return isNamed(P.name) ? try P(from: element) : nil
        }
    }
}

/// A payload that a message may contain, such as a delivery receipt.
public protocol MessagePayload: XMLPayload {}

/// A payload that a presence may contain, such as entity capabilities.
public protocol PresencePayload: XMLPayload {}

/// A payload that an IQ stanza may contain: the child of a request or of its result.
public protocol IQPayload: XMLPayload {}
