public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Publishes items in a node (XEP-0060 Publish-Subscribe §7.1).
///
/// ```
/// C: <iq type='set'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <publish node='urn:xmpp:bookmarks:1'><item id='theplay@conference.shakespeare.lit'>…</item></publish>
///      <publish-options><x xmlns='jabber:x:data' type='submit'>…</x></publish-options></pubsub></iq>
/// ```
public struct PublishRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    /// The identifiers of what was published, where the service tells them.
    public struct Response: IQResponse, Equatable {
        public var ids: [String]

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            let publish = payload?.firstChild(PublishRequest.publishName)
            ids = publish?.children(PublishSubscribeNames.item).compactMap { $0["id"] } ?? []
        }
    }

    public var node: String
    public var items: [PublishedItem]
    /// What must hold for the node (§7.1.5); a node that does not exist is made so.
    public var options: DataForm?

    public init(node: String, items: [PublishedItem], options: DataForm? = nil) {
        self.node = node
        self.items = items
        self.options = options
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let publish = try element.required(Self.publishName)
        node = try publish.required("node")
        items = publish.children(PublishSubscribeNames.item).map(PublishedItem.init(reading:))
        options = try element.firstChild(Self.optionsName)?.decode(DataForm.self)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.publishName)
        writer.attribute("node", node)
        for item in items { item.encode(to: &writer, namespace: PublishSubscribeNames.client) }
        writer.end()
        if let options { writer.element(Self.optionsName) { options.encode(to: &$0) } }
        writer.end()
    }

    static let publishName = XMLName("publish", PublishSubscribeNames.client)
    private static let optionsName = XMLName("publish-options", PublishSubscribeNames.client)
}
