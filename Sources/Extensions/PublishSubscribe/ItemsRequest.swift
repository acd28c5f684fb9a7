public import XMLStreaming
public import XMPPStanzas

/// Requests the items of a node: all, the newest, certain ones, or a page of them (XEP-0060 Publish-Subscribe §6.5).
///
/// ```
/// C: <iq type='get' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <items node='princely_musings' max_items='2'/></pubsub></iq>
/// ```
public struct ItemsRequest: IQRequest, Equatable {
    public typealias Response = ItemsPage
    public static let name = PublishSubscribeNames.request

    /// The requested part of a long list (§6.5.4).
    public struct Page: Sendable, Equatable {
        /// The maximum number of items.
        public var maximum: Int?
        /// Only items after the one with this page identifier.
        public var after: String?
        /// Only items before it; an empty string requests the last page.
        public var before: String?

        public init(maximum: Int? = nil, after: String? = nil, before: String? = nil) {
            self.maximum = maximum
            self.after = after
            self.before = before
        }
    }

    public var node: String
    /// Only these items.
    public var ids: [String]
    /// The number of newest items.
    public var maximum: Int?
    public var page: Page?
    /// Selects one of several subscriptions to the node (§6.1.6).
    public var subscriptionID: String?

    public init(
        node: String, ids: [String] = [], maximum: Int? = nil, page: Page? = nil, subscriptionID: String? = nil
    ) {
        self.node = node
        self.ids = ids
        self.maximum = maximum
        self.page = page
        self.subscriptionID = subscriptionID
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let items = try element.required(PublishSubscribeNames.items)
        node = try items.required("node")
        ids = items.children(PublishSubscribeNames.item).compactMap { $0["id"] }
        maximum = try items.value("max_items", as: Int.self)
        subscriptionID = items["subid"]
        if let set = element.firstChild(Self.setName) {
            page = Page(
                maximum: set.firstChild(Self.maximumName).flatMap { Int($0.text) },
                after: set.firstChild(Self.afterName)?.text, before: set.firstChild(Self.beforeName)?.text)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(PublishSubscribeNames.items)
        writer.attribute("node", node)
        writer.attribute("max_items", maximum.map(String.init))
        writer.attribute("subid", subscriptionID)
        for id in ids { PublishedItem(id: id).encode(to: &writer, namespace: PublishSubscribeNames.client) }
        writer.end()
        if let page {
            writer.start(Self.setName)
            if let maximum = page.maximum { writer.element(Self.maximumName, text: String(maximum)) }
            if let after = page.after { writer.element(Self.afterName, text: after) }
            if let before = page.before { writer.element(Self.beforeName, text: before) }
            writer.end()
        }
        writer.end()
    }

    static let setName = XMLName("set", PublishSubscribeNames.resultSets)
    private static let maximumName = XMLName("max", PublishSubscribeNames.resultSets)
    private static let afterName = XMLName("after", PublishSubscribeNames.resultSets)
    private static let beforeName = XMLName("before", PublishSubscribeNames.resultSets)
}

/// Items of a node, and their position in the whole list (XEP-0060 Publish-Subscribe §6.5).
public struct ItemsPage: IQPayload, IQResponse, Equatable {
    public static let name = PublishSubscribeNames.request

    public var node: String
    public var items: [PublishedItem]
    /// The page identifiers of the first and the last item, for requesting the items before or after.
    public var first: String?
    public var last: String?
    /// The total number of items, if the service reports it.
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
