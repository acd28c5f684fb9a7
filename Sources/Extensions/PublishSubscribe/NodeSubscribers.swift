internal import DataForms
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Requests the subscriptions to a node as its owner (XEP-0060 Publish-Subscribe §8.8.1).
public struct NodeSubscribersRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.ownerRequest
    /// The maximum number of subscriptions that are read.
    static let limit = 16_384

    public struct Response: IQResponse, Equatable {
        public var subscriptions: [Subscription]

        /// Invalid entries are skipped, so that one of them does not hide the others.
        public init(payload: XMLElement?) throws(XMLDecodingError) {
            let list = payload?.firstChild(NodeSubscribersRequest.listName)
            subscriptions = list.map(NodeSubscribersRequest.subscriptions(in:)) ?? []
        }
    }

    public var node: String

    public init(node: String) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = try element.required(Self.listName).required("node")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.listName)
        writer.attribute("node", node)
        writer.end()
        writer.end()
    }

    static func subscriptions(in list: XMLElement) -> [Subscription] {
        let name = XMLName("subscription", PublishSubscribeNames.owner)
        return list.children(name).prefix(limit).compactMap { try? Subscription(reading: $0) }
    }

    static let listName = XMLName("subscriptions", PublishSubscribeNames.owner)
}

/// Changes subscriptions to a node as its owner: approves, denies or ends them (XEP-0060 Publish-Subscribe §8.8.2).
/// Subscriptions that are not listed stay.
public struct NodeSubscribersChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.ownerRequest
    public static let iqType = IQ.Kind.set

    public var node: String
    public var subscriptions: [Subscription]

    public init(node: String, _ subscriptions: [Subscription]) {
        self.node = node
        self.subscriptions = subscriptions
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let list = try element.required(NodeSubscribersRequest.listName)
        self.init(node: try list.required("node"), NodeSubscribersRequest.subscriptions(in: list))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(NodeSubscribersRequest.listName)
        writer.attribute("node", node)
        for subscription in subscriptions {
            subscription.encode(to: &writer, namespace: PublishSubscribeNames.owner)
        }
        writer.end()
        writer.end()
    }
}

/// A service asks the owner of a node whether a user may subscribe (XEP-0060 Publish-Subscribe §8.6).
///
/// It arrives as a message of the service. ``answer(isGranted:)`` is the message to send back.
public struct SubscriptionApproval: Sendable, Hashable {
    public let service: JID
    public let node: String
    public let subscriber: JID
    public let subscriptionID: String?

    /// - Returns: `nil` for a message that is none, or not from a service.
    public init?(_ message: Message) {
        guard !message.isError, let service = message.from, service.isBare,
            let form = (try? message.payload(DataForm.self)) ?? nil, form.kind == .form, form.formType == Self.type,
            let node = form["pubsub#node"]?.values.first, !node.isEmpty,
            let subscriber = form["pubsub#subscriber_jid"]?.values.first.flatMap({ try? JID($0) })
        else { return nil }
        self.service = service
        self.node = node
        self.subscriber = subscriber
        subscriptionID = form["pubsub#subid"]?.values.first
    }

    public func answer(isGranted: Bool) -> Message {
        var fields = [
            DataFormField(name: "FORM_TYPE", kind: .hidden, values: [Self.type]),
            DataFormField(name: "pubsub#node", values: [node]),
            DataFormField(name: "pubsub#subscriber_jid", values: [subscriber.description]),
            DataFormField(name: "pubsub#allow", kind: .boolean, values: [isGranted ? "true" : "false"]),
        ]
        if let subscriptionID { fields.append(DataFormField(name: "pubsub#subid", values: [subscriptionID])) }
        var message = Message(to: service)
        message.payloads.append(DataForm(kind: .submit, fields: fields))
        return message
    }

    private static let type = "http://jabber.org/protocol/pubsub#subscribe_authorization"
}
