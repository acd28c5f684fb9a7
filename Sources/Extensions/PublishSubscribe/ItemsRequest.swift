public import XMLStreaming
public import XMPPStanzas

/// Asks for the items of a node: all, the newest, certain ones, or a page of them (XEP-0060 Publish-Subscribe §6.5).
///
/// ```
/// C: <iq type='get' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <items node='princely_musings' max_items='2'/></pubsub></iq>
/// ```
public struct ItemsRequest: IQRequest, Equatable {
    public typealias Response = ItemsPage
    public static let name = PublishSubscribeNames.request

    /// Which part of a long list is wanted (§6.5.4).
    public struct Page: Sendable, Equatable {
        /// How many items at most.
        public var maximum: Int?
        /// Only what follows the item of this page identifier.
        public var after: String?
        /// Only what precedes it; an empty text asks for the last page.
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
    /// Only so many of the newest.
    public var maximum: Int?
    public var page: Page?
    /// Which of several subscriptions to the node is meant (§6.1.6).
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
