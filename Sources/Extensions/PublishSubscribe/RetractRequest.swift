public import XMLStreaming
public import XMPPStanzas

/// Takes items out of a node (XEP-0060 Publish-Subscribe §7.2).
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
    /// Whether the subscribers are to be told; `nil` leaves it to the node.
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
