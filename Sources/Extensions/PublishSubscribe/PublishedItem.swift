public import DataForms
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// An item of a node: an identifier and the payload that was published under it (XEP-0060 Publish-Subscribe §4.2).
public struct PublishedItem: Sendable, Equatable {
    /// Unique in its node; `nil` in a notice without it.
    public var id: String?
    /// The publisher, if the service reports it: a statement of the service, not a proof.
    public var publisher: JID?
    /// `nil` if the node's notices omit the payload, and for nodes without payloads.
    public var payload: XMLElement?

    public init(id: String? = nil, publisher: JID? = nil, payload: XMLElement? = nil) {
        self.id = id
        self.publisher = publisher
        self.payload = payload
    }

    init(reading element: XMLElement) {
        id = element["id"]
        publisher = element["publisher"].flatMap { try? JID($0) }
        payload = element.firstChild
    }

    func encode(to writer: inout XMLWriter, namespace: String) {
        writer.start(XMLName("item", namespace))
        writer.attribute("id", id)
        writer.attribute("publisher", publisher?.description)
        if let payload { writer.write(payload) }
        writer.end()
    }

    /// The payload as a type; `nil` if there is none or another one. Throws if it is invalid.
    public func decode<Payload: XMLPayload>(_ type: Payload.Type) throws(XMLDecodingError) -> Payload? {
        guard let payload, payload.isNamed(Payload.name) else { return nil }
        return try Payload(from: payload)
    }
}

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

    /// The identifiers of the published items, if the service reports them.
    public struct Response: IQResponse, Equatable {
        public var ids: [String]

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            let publish = payload?.firstChild(PublishRequest.publishName)
            ids = publish?.children(PublishSubscribeNames.item).compactMap { $0["id"] } ?? []
        }
    }

    public var node: String
    public var items: [PublishedItem]
    /// The preconditions for the node (§7.1.5); a node that does not exist is created accordingly.
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

/// Retracts items from a node (XEP-0060 Publish-Subscribe §7.2).
///
/// ```
/// C: <iq type='set'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <retract node='princely_musings' notify='true'><item id='ae890ac52d0df67ed7cfdf51b644e901'/></retract></pubsub></iq>
/// ```
public struct RetractRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    public var node: String
    public var ids: [String]
    /// Whether to notify subscribers; `nil` leaves it to the node.
    public var notifies: Bool?

    public init(node: String, ids: [String], notifies: Bool? = true) {
        self.node = node
        self.ids = ids
        self.notifies = notifies
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let retract = try element.required(Self.retractName)
        node = try retract.required("node")
        ids = retract.children(PublishSubscribeNames.item).compactMap { $0["id"] }
        notifies = try retract.boolean("notify")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.retractName)
        writer.attribute("node", node)
        writer.attribute("notify", notifies.map(String.init))
        for id in ids { PublishedItem(id: id).encode(to: &writer, namespace: PublishSubscribeNames.client) }
        writer.end()
        writer.end()
    }

    private static let retractName = XMLName("retract", PublishSubscribeNames.client)
}
