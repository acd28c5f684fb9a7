public import XMLStreaming

/// Says which part of a long result was sent (XEP-0059 Result Set Management §2.2).
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
    /// The number of the first item in the whole, counted from 0; may be a guess.
    public var firstIndex: Int?
    /// The last item of the part; `nil` if the part is empty.
    public var last: String?
    /// How many items the whole has; may be a guess.
    public var count: Int?

    public init(first: String? = nil, firstIndex: Int? = nil, last: String? = nil, count: Int? = nil) {
        self.first = first
        self.firstIndex = firstIndex
        self.last = last
        self.count = count
    }

    /// Numbers that cannot be read are left out: they are only hints.
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
