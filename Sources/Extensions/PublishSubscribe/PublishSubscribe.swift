internal import MessageFeatures
internal import ServiceDiscovery
internal import Synchronization
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Publishes data at a service, reads it, and reports changes (XEP-0060 Publish-Subscribe, XEP-0163 Personal Eventing
/// Protocol).
///
/// A `nil` service is our own account, whose data are the personal events of XEP-0163 §4: contacts get them if they
/// have announced their interest with ``addInterest(in:)``.
public final class PublishSubscribe: SessionExtension, StanzaInterceptor {
    /// The feature that shows support for preconditions.
    static let optionsFeature = PublishSubscribeNames.client + "#publish-options"

    let session: Session
    private let interests: Mutex<Set<String>>
    private let channel = EventChannel<PublishSubscribeNotice>()

    /// - Parameter interests: The nodes of contacts and of our own account whose events are requested.
    public init(_ session: Session, interests: Set<String> = []) {
        self.session = session
        self.interests = Mutex(interests)
    }

    /// One `+notify` feature per node (XEP-0163 §4.2): servers send only what is announced here.
    public var features: [String] { interests.withLock { $0.map(Self.interest) } }

    /// The feature by which the events of a node are wanted; an extension that always wants them announces it itself.
    public static func interest(in node: String) -> String { node + "+notify" }

    public var interceptors: [any StanzaInterceptor] { [self] }

    /// All events from now on.
    public func notices() -> AsyncStream<PublishSubscribeNotice> { channel.stream() }

    /// Requests the events of a node; they are reported as ``notices()``. If a presence was sent before, it is sent
    /// again, because servers read the interests from it.
    public func addInterest(in node: String) async throws(ClientError) {
        guard interests.withLock({ $0.insert(node).inserted }) else { return }
        if await session.presence?.type == .available { try await session.resendPresence() }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
    }

    public func concerns(received stanza: AnyStanza) -> Bool {
        guard case .message(let message) = stanza else { return false }
        return message.type != .groupchat && message.payloads.contains(PublishSubscribeEvent.name)
    }

    public func concerns(sent stanza: AnyStanza) -> Bool { false }

    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza, !message.isError, message.type != .groupchat,
            message.payloads.contains(PublishSubscribeEvent.name)
        else { return .pass(stanza) }
        guard let service = service(of: message, to: session.address),
            let event = (try? message.payload(PublishSubscribeEvent.self)) ?? nil
        else { return .pass(stanza) }
        let delay = (try? message.payload(DelayedDelivery.self)) ?? nil
        channel.post(PublishSubscribeNotice(service: service, event: event, delay: delay))
        return .pass(stanza)
    }

    /// The service that is responsible for an event. Services and accounts have no resource; a sender with a resource
    /// is a device or an occupant of a room.
    private func service(of message: Message, to account: JID?) -> JID? {
        guard let sender = message.from else { return account?.bare }
        return sender.isBare ? sender : nil
    }
}

extension PublishSubscribe {
    /// Subscribes to a node for all devices of our account.
    ///
    /// - Parameter options: what to deliver, if the service offers ``SubscriptionOptions``.
    /// - Returns: The subscription, which may be pending until the owner of the node approves it.
    @discardableResult
    public func subscribe(
        to node: String, at service: JID, options: SubscriptionOptions? = nil
    ) async throws(ClientError) -> Subscription {
        let own = try await ownAddress()
        let request = SubscribeRequest(node: node, address: own, options: options?.form)
        let answer = try await session.request(request, to: service)
        return answer.subscription ?? Subscription(node: node, address: own)
    }

    /// Ends a subscription.
    public func unsubscribe(from node: String, at service: JID, subscriptionID: String? = nil) async throws(ClientError)
    {
        let request = UnsubscribeRequest(node: node, address: try await ownAddress(), subscriptionID: subscriptionID)
        _ = try await session.request(request, to: service)
    }

    /// The subscriptions of our account at a service.
    public func subscriptions(at service: JID, node: String? = nil) async throws(ClientError) -> [Subscription] {
        try await session.request(SubscriptionsRequest(node: node), to: service).subscriptions
    }

    func ownAddress() async throws(ClientError) -> JID {
        guard let own = await session.address else {
            throw ClientError(.notConnected, "Subscribing needs a connection.")
        }
        return own.bare
    }
}

extension ClientError {
    /// The condition that XEP-0060 §11 defines for the failure, such as `precondition-not-met` or `closed-node`.
    public var publishSubscribeCondition: String? {
        guard let condition = stanzaError?.applicationCondition,
            condition.namespace == PublishSubscribeNames.errors
        else { return nil }
        return condition.localName
    }

    /// The node, or the item of it, does not exist.
    public var isItemNotFound: Bool { stanzaError?.condition == .itemNotFound }

    /// The node has another configuration, or the service does not support one of the preconditions: ejabberd 23.01
    /// refuses `max_items` with `resource-constraint`, others refuse unknown ones with `bad-request`.
    var isAboutPreconditions: Bool {
        if publishSubscribeCondition == "precondition-not-met" { return true }
        switch stanzaError?.condition {
        case .resourceConstraint?, .badRequest?, .notAcceptable?, .conflict?: return true
        default: return false
        }
    }
}

/// The names of XEP-0060 that several payloads need.
enum PublishSubscribeNames {
    static let client = "http://jabber.org/protocol/pubsub"
    static let owner = client + "#owner"
    static let event = client + "#event"
    static let errors = client + "#errors"
    static let resultSets = "http://jabber.org/protocol/rsm"

    static let request = XMLName("pubsub", client)
    static let ownerRequest = XMLName("pubsub", owner)
    static let items = XMLName("items", client)
    static let item = XMLName("item", client)
    static let configure = XMLName("configure", client)
    static let ownerConfigure = XMLName("configure", owner)
}
