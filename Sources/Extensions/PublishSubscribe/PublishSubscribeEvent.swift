public import DataForms
public import MessageFeatures
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// An event of a node (XEP-0060 Publish-Subscribe §7.1.2, §7.2.2, §8).
///
/// ```
/// S: <message from='pubsub.shakespeare.lit' to='francisco@denmark.lit'>
///      <event xmlns='http://jabber.org/protocol/pubsub#event'><items node='princely_musings'>
///        <item id='ae890ac52d0df67ed7cfdf51b644e901'>…</item></items></event></message>
/// ```
public enum PublishSubscribeEvent: MessagePayload, Equatable {
    /// Items were published, and others retracted.
    case items(node: String, published: [PublishedItem], retracted: [String])
    /// All items were removed.
    case purged(node: String)
    /// The node was deleted.
    case removed(node: String, replacement: String?)
    /// The configuration of the node changed; with the new settings if the service sends them.
    case configured(node: String, DataForm?)
    /// A subscription changed.
    case subscription(Subscription)

    public static let name = XMLName("event", PublishSubscribeNames.event)

    /// The node of the event; `nil` for a subscription to a whole service.
    public var node: String? {
        switch self {
        case .items(let node, _, _), .purged(let node), .removed(let node, _), .configured(let node, _): node
        case .subscription(let subscription): subscription.node
        }
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let child = element.firstChild, child.namespace == PublishSubscribeNames.event else {
            throw XMLDecodingError(Self.name, .missingElement(Self.named("items")))
        }
        switch child.localName {
        case "items":
            self = .items(
                node: try child.required("node"),
                published: child.children(Self.named("item")).map(PublishedItem.init(reading:)),
                retracted: child.children(Self.named("retract")).compactMap { $0["id"] })
        case "purge": self = .purged(node: try child.required("node"))
        case "delete":
            self = .removed(
                node: try child.required("node"), replacement: child.firstChild(Self.named("redirect"))?["uri"])
        case "configuration":
            self = .configured(node: try child.required("node"), try child.decode(DataForm.self))
        case "subscription": self = .subscription(try Subscription(reading: child))
        default: throw XMLDecodingError(child.name, .unexpectedElement)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        switch self {
        case .items(let node, let published, let retracted):
            Self.start("items", node, &writer)
            for item in published { item.encode(to: &writer, namespace: PublishSubscribeNames.event) }
            for id in retracted {
                writer.start(Self.named("retract"))
                writer.attribute("id", id)
                writer.end()
            }
            writer.end()
        case .purged(let node):
            Self.start("purge", node, &writer)
            writer.end()
        case .removed(let node, let replacement):
            Self.start("delete", node, &writer)
            if let replacement {
                writer.start(Self.named("redirect"))
                writer.attribute("uri", replacement)
                writer.end()
            }
            writer.end()
        case .configured(let node, let form):
            Self.start("configuration", node, &writer)
            form?.encode(to: &writer)
            writer.end()
        case .subscription(let subscription):
            subscription.encode(to: &writer, namespace: PublishSubscribeNames.event)
        }
        writer.end()
    }

    private static func start(_ local: String, _ node: String, _ writer: inout XMLWriter) {
        writer.start(named(local))
        writer.attribute("node", node)
    }

    private static func named(_ local: String) -> XMLName { XMLName(local, PublishSubscribeNames.event) }
}

/// An event with its verified origin.
public struct PublishSubscribeNotice: Sendable, Equatable {
    /// The service that sent it: for personal events the account that they belong to (XEP-0163 §4.3).
    ///
    /// The content of the event is a statement of this service only.
    public var service: JID
    public var event: PublishSubscribeEvent
    /// The original time, if it is not a new event, such as the last item that is sent after subscribing or with a
    /// contact's presence.
    public var delay: DelayedDelivery?

    public init(service: JID, event: PublishSubscribeEvent, delay: DelayedDelivery? = nil) {
        self.service = service
        self.event = event
        self.delay = delay
    }
}
