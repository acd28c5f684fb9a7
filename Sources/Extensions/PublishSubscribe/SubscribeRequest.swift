public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Subscribes to a node (XEP-0060 Publish-Subscribe §6.1).
///
/// ```
/// C: <iq type='set' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <subscribe node='princely_musings' jid='francisco@denmark.lit'/></pubsub></iq>
/// ```
public struct SubscribeRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    /// The subscription as the service made it; `nil` when it only confirms.
    public struct Response: IQResponse, Equatable {
        public var subscription: Subscription?

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            if let element = payload?.firstChild(SubscriptionsRequest.itemName) {
                subscription = try Subscription(reading: element)
            }
        }
    }

    public var node: String
    /// Where the notices go: the own bare or full address.
    public var address: JID

    public init(node: String, address: JID) {
        self.node = node
        self.address = address
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let subscription = try Subscription(reading: try element.required(Self.subscribeName))
        guard let node = subscription.node else {
            throw XMLDecodingError(Self.subscribeName, .missingAttribute("node"))
        }
        self.init(node: node, address: subscription.address)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.subscribeName)
        writer.attribute("node", node)
        writer.attribute("jid", address.description)
        writer.end()
        writer.end()
    }

    private static let subscribeName = XMLName("subscribe", PublishSubscribeNames.client)
}

/// Ends a subscription (XEP-0060 Publish-Subscribe §6.2).
public struct UnsubscribeRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    public var node: String
    public var address: JID
    /// Needed when there are several subscriptions (§6.2.3.1).
    public var subscriptionID: String?

    public init(node: String, address: JID, subscriptionID: String? = nil) {
        self.node = node
        self.address = address
        self.subscriptionID = subscriptionID
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let subscription = try Subscription(reading: try element.required(Self.unsubscribeName))
        guard let node = subscription.node else {
            throw XMLDecodingError(Self.unsubscribeName, .missingAttribute("node"))
        }
        self.init(node: node, address: subscription.address, subscriptionID: subscription.id)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.unsubscribeName)
        writer.attribute("node", node)
        writer.attribute("jid", address.description)
        writer.attribute("subid", subscriptionID)
        writer.end()
        writer.end()
    }

    private static let unsubscribeName = XMLName("unsubscribe", PublishSubscribeNames.client)
}

/// Asks a service which subscriptions one has (XEP-0060 Publish-Subscribe §5.6).
public struct SubscriptionsRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request

    public struct Response: IQResponse, Equatable {
        public var subscriptions: [Subscription]

        /// Entries that cannot be read are left out: one bad entry must not hide the others.
        public init(payload: XMLElement?) throws(XMLDecodingError) {
            let list = payload?.firstChild(SubscriptionsRequest.listName)
            subscriptions =
                list?.children(SubscriptionsRequest.itemName).compactMap { try? Subscription(reading: $0) } ?? []
        }
    }

    /// Only those to this node.
    public var node: String?

    public init(node: String? = nil) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = try element.required(Self.listName)["node"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.listName)
        writer.attribute("node", node)
        writer.end()
        writer.end()
    }

    static let listName = XMLName("subscriptions", PublishSubscribeNames.client)
    static let itemName = XMLName("subscription", PublishSubscribeNames.client)
}
