public import XMLStreaming
public import XMPPStanzas

/// Items of a node, and where in the whole list they stand (XEP-0060 Publish-Subscribe §6.5).
public struct ItemsPage: IQPayload, IQResponse, Equatable {
    public static let name = PublishSubscribeNames.request

    public var node: String
    public var items: [PublishedItem]
    /// The page identifiers of the first and the last item, to ask for what is before or after.
    public var first: String?
    public var last: String?
    /// How many items there are in all, where the service says so.
    public var total: Int?

    public init(
        node: String, items: [PublishedItem], first: String? = nil, last: String? = nil, total: Int? = nil
    ) {
        self.node = node
        self.items = items
        self.first = first
        self.last = last
        self.total = total
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let list = try element.required(PublishSubscribeNames.items)
        let items = list.children(PublishSubscribeNames.item).map(PublishedItem.init(reading:))
        self.init(node: try list.required("node"), items: Array(items))
        if let set = element.firstChild(ItemsRequest.setName) {
            first = set.firstChild(Self.firstName)?.text
            last = set.firstChild(Self.lastName)?.text
            total = set.firstChild(Self.countName).flatMap { Int($0.text) }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(PublishSubscribeNames.items)
        writer.attribute("node", node)
        for item in items { item.encode(to: &writer, namespace: PublishSubscribeNames.client) }
        writer.end()
        if first != nil || last != nil || total != nil {
            writer.start(ItemsRequest.setName)
            if let first { writer.element(Self.firstName, text: first) }
            if let last { writer.element(Self.lastName, text: last) }
            if let total { writer.element(Self.countName, text: String(total)) }
            writer.end()
        }
        writer.end()
    }

    private static let firstName = XMLName("first", PublishSubscribeNames.resultSets)
    private static let lastName = XMLName("last", PublishSubscribeNames.resultSets)
    private static let countName = XMLName("count", PublishSubscribeNames.resultSets)
}
