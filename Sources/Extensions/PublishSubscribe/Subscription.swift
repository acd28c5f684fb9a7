public import DataForms
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// A subscription to a node (XEP-0060 Publish-Subscribe §4.2).
///
/// ```
/// S: <subscription node='princely_musings' jid='francisco@denmark.lit' subid='ba49252a' subscription='subscribed'/>
/// ```
public struct Subscription: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case none
        /// Waits for the approval of the owner.
        case pending
        /// Waits for options of the subscriber (§6.1.5).
        case unconfigured
        case subscribed
    }

    /// `nil` in the response to a request for a single node.
    public var node: String?
    public var address: JID
    public var id: String?
    /// `nil` if not stated, which means subscribed (§6.1.1).
    public var state: State?

    public init(node: String?, address: JID, id: String? = nil, state: State? = .subscribed) {
        self.node = node
        self.address = address
        self.id = id
        self.state = state
    }

    init(reading element: XMLElement) throws(XMLDecodingError) {
        node = element["node"]
        address = try element.requiredAddress("jid")
        id = element["subid"]
        state = try element.value("subscription", as: State.self)
    }

    func encode(to writer: inout XMLWriter, namespace: String) {
        writer.start(XMLName("subscription", namespace))
        writer.attribute("node", node)
        writer.attribute("jid", address.description)
        writer.attribute("subid", id)
        writer.attribute("subscription", state?.rawValue)
        writer.end()
    }
}

/// Subscribes to a node (XEP-0060 Publish-Subscribe §6.1).
///
/// ```
/// C: <iq type='set' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <subscribe node='princely_musings' jid='francisco@denmark.lit'/></pubsub></iq>
/// ```
public struct SubscribeRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    /// The subscription that the service created; `nil` if it only confirms.
    public struct Response: IQResponse, Equatable {
        public var subscription: Subscription?

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            if let element = payload?.firstChild(SubscriptionsRequest.itemName) {
                subscription = try Subscription(reading: element)
            }
        }
    }

    public var node: String
    /// The subscriber: our bare or full address.
    public var address: JID
    /// What to deliver, as a form of ``SubscriptionOptions`` (§6.3.7).
    public var options: DataForm?

    public init(node: String, address: JID, options: DataForm? = nil) {
        self.node = node
        self.address = address
        self.options = options
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let subscription = try Subscription(reading: try element.required(Self.subscribeName))
        guard let node = subscription.node else {
            throw XMLDecodingError(Self.subscribeName, .missingAttribute("node"))
        }
        self.init(
            node: node, address: subscription.address,
            options: try element.firstChild(SubscriptionOptionsRequest.optionsName)?.decode(DataForm.self))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.subscribeName)
        writer.attribute("node", node)
        writer.attribute("jid", address.description)
        writer.end()
        if let options { writer.element(SubscriptionOptionsRequest.optionsName) { options.encode(to: &$0) } }
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
    /// Required if there are several subscriptions (§6.2.3.1).
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

/// Requests our subscriptions at a service (XEP-0060 Publish-Subscribe §5.6).
public struct SubscriptionsRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request

    public struct Response: IQResponse, Equatable {
        public var subscriptions: [Subscription]

        /// Invalid entries are skipped, so that one of them does not hide the others.
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
