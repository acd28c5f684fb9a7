public import XMLStreaming

/// Describes which part of a long result was returned (XEP-0059 Result Set Management §2.2).
///
/// ```
/// S: <set xmlns='http://jabber.org/protocol/rsm'>
///      <first index='10'>peter@pixyland.org</first><last>peter@rabbit.lit</last><count>800</count></set>
/// ```
public struct ResultSet: XMLPayload, Hashable {
    public static let name = ResultSetRequest.name
    private static let firstName = XMLName("first", name.namespace)
    private static let lastName = XMLName("last", name.namespace)
    private static let countName = XMLName("count", name.namespace)

    /// The first item of the part; `nil` if the part is empty.
    public var first: String?
    /// The index of the first item in the whole result, starting at 0; possibly an estimate.
    public var firstIndex: Int?
    /// The last item of the part; `nil` if the part is empty.
    public var last: String?
    /// The total number of items; possibly an estimate.
    public var count: Int?

    public init(first: String? = nil, firstIndex: Int? = nil, last: String? = nil, count: Int? = nil) {
        self.first = first
        self.firstIndex = firstIndex
        self.last = last
        self.count = count
    }

    /// Invalid numbers are ignored, because they are only hints.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let first = element.firstChild(Self.firstName)
        self.first = first?.text
        firstIndex = first?["index"].flatMap { UInt32($0) }.map(Int.init)
        last = element.firstChild(Self.lastName)?.text
        count = try? element.firstChild(Self.countName)?.count()
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        if let first {
            writer.start(Self.firstName)
            writer.attribute("index", firstIndex.map(String.init))
            writer.text(first)
            writer.end()
        }
        if let last { writer.element(Self.lastName, text: last) }
        if let count { writer.element(Self.countName, text: "\(count)") }
        writer.end()
    }
}

/// Requests a part of a long result (XEP-0059 Result Set Management §2).
///
/// ```
/// C: <set xmlns='http://jabber.org/protocol/rsm'><max>10</max><before/></set>
/// ```
public struct ResultSetRequest: XMLPayload, Hashable {
    /// The position of the part in the whole result.
    public enum Position: Sendable, Hashable {
        /// From the beginning.
        case first
        /// Directly after this item.
        case after(String)
        /// Directly before this item.
        case before(String)
        /// At the end, requested by an empty `<before/>` (§2.5).
        case last
        /// From the item with this index, starting at 0; not supported by every service (§2.6).
        case index(Int)
    }

    public static let name = XMLName("set", "http://jabber.org/protocol/rsm")
    private static let beforeName = XMLName("before", name.namespace)
    private static let afterName = XMLName("after", name.namespace)
    private static let indexName = XMLName("index", name.namespace)
    private static let maximumName = XMLName("max", name.namespace)

    public var position: Position
    /// The maximum number of items; 0 requests only the total number (§2.7), `nil` leaves it to the service.
    public var maximum: Int?

    public init(_ position: Position = .first, maximum: Int? = nil) {
        self.position = position
        self.maximum = maximum
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        if let before = element.firstChild(Self.beforeName) {
            position = before.text.isEmpty ? .last : .before(before.text)
        } else if let after = element.firstChild(Self.afterName) {
            position = after.text.isEmpty ? .first : .after(after.text)
        } else if let index = element.firstChild(Self.indexName) {
            position = .index(try index.count())
        } else {
            position = .first
        }
        maximum = try element.firstChild(Self.maximumName)?.count()
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        if let maximum { writer.element(Self.maximumName, text: "\(maximum)") }
        switch position {
        case .first: break
        case .after(let id): writer.element(Self.afterName, text: id)
        case .before(let id): writer.element(Self.beforeName, text: id)
        case .last: writer.element(Self.beforeName, text: "")
        case .index(let index): writer.element(Self.indexName, text: "\(index)")
        }
        writer.end()
    }
}

extension XMLElement {
    /// The text as a count.
    func count() throws(XMLDecodingError) -> Int {
        guard let number = UInt32(text), let count = Int(exactly: number) else {
            throw XMLDecodingError(name, .invalidText)
        }
        return count
    }
}
