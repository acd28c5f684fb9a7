internal import DataForms
internal import ServiceDiscovery
public import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Lets the server notify a device that has no connection, through the push service of the program (XEP-0357 Push
/// Notifications).
///
///     configuration.add { PushNotifications($0, services: [PushService(at: appServer, node: deviceNode)]) }
///
/// The services are enabled at the start of each new session, because servers may forget them with the session that
/// enabled them; a resumed session has them already. Nothing is sent to a server that does not offer the feature.
public final actor PushNotifications: SessionExtension {
    /// The feature of an account whose server publishes notifications (§4.1).
    public static let feature = "urn:xmpp:push:0"

    private let session: Session
    /// The services that are enabled in each new session.
    public private(set) var services: [PushService]

    public init(_ session: Session, services: [PushService] = []) {
        self.session = session
        self.services = services
    }

    /// Whether the server publishes notifications for this account.
    public func isOffered() async throws(ClientError) -> Bool {
        guard let own = await session.address?.bare else { return false }
        if let discovery = session[ServiceDiscovery.self] {
            return try await discovery.information(of: own).features.contains(Self.feature)
        }
        return try await session.request(DiscoveryInformationRequest(), to: own).features.contains(Self.feature)
    }

    /// Enables notifications through a service, in this and later sessions. A second call for the same address and node
    /// replaces the options (§5).
    public func enable(_ service: PushService) async throws(ClientError) {
        _ = try await session.request(PushActivation(service))
        services.removeAll { $0.address == service.address && $0.node == service.node }
        services.append(service)
    }

    /// Disables notifications through a service (§6).
    ///
    /// - Parameter node: only this node of the service; by default all of them.
    public func disable(_ address: JID, node: String? = nil) async throws(ClientError) {
        services.removeAll { $0.address == address && (node == nil || $0.node == node) }
        _ = try await session.request(PushDeactivation(address, node: node))
    }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        guard !isResumed, !services.isEmpty, try await isOffered() else { return }
        for service in services { _ = try await session.request(PushActivation(service)) }
    }
}

/// Where a server publishes notifications for a device (XEP-0357 Push Notifications §5).
public struct PushService: Sendable, Equatable {
    public var address: JID
    /// The node that the service has provided for the device.
    public var node: String?
    /// What the service requires with each notification, such as a secret, by the name of the field.
    public var options: [String: String]

    public init(at address: JID, node: String? = nil, options: [String: String] = [:]) {
        self.address = address
        self.node = node
        self.options = options
    }
}

/// Enables notifications (XEP-0357 Push Notifications §5).
///
/// ```
/// C: <iq type='set'><enable xmlns='urn:xmpp:push:0' jid='push-5.client.example' node='yxs32uqsflafdk3iuqo'/></iq>
/// ```
public struct PushActivation: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("enable", PushNotifications.feature)
    public static let iqType = IQ.Kind.set

    public var service: PushService

    public init(_ service: PushService) {
        self.service = service
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        service = PushService(at: try element.requiredAddress("jid"), node: element["node"])
        for field in try element.decode(DataForm.self)?.fields ?? [] {
            guard let name = field.name, name != "FORM_TYPE", let value = field.values.first else { continue }
            service.options[name] = value
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("jid", service.address.description)
        writer.attribute("node", service.node)
        if !service.options.isEmpty {
            let type = DataFormField(
                name: "FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/pubsub#publish-options"])
            let fields = service.options.sorted { $0.key < $1.key }.map {
                DataFormField(name: $0.key, values: [$0.value])
            }
            DataForm(kind: .submit, fields: [type] + fields).encode(to: &writer)
        }
        writer.end()
    }
}

/// Disables notifications (XEP-0357 Push Notifications §6).
public struct PushDeactivation: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("disable", PushNotifications.feature)
    public static let iqType = IQ.Kind.set

    public var address: JID
    /// `nil` for all nodes of the service.
    public var node: String?

    public init(_ address: JID, node: String? = nil) {
        self.address = address
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(try element.requiredAddress("jid"), node: element["node"])
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("jid", address.description)
        writer.attribute("node", node)
        writer.end()
    }
}

/// What a server publishes at a push service, for programs that are one (XEP-0357 Push Notifications §7).
///
/// Servers may leave out everything, so that neither the service nor what is behind it learns who writes to whom.
public struct PushNotification: XMLPayload, Equatable {
    public static let name = XMLName("notification", PushNotifications.feature)
    /// The maximum length of a text that is read, in characters: more than a notification shows.
    private static let textLimit = 4096

    public var messageCount: Int?
    public var pendingSubscriptionCount: Int?
    public var lastSender: JID?
    public var lastBody: String?

    public init(
        messageCount: Int? = nil, pendingSubscriptionCount: Int? = nil, lastSender: JID? = nil, lastBody: String? = nil
    ) {
        self.messageCount = messageCount
        self.pendingSubscriptionCount = pendingSubscriptionCount
        self.lastSender = lastSender
        self.lastBody = lastBody
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let form = try element.decode(DataForm.self)
        func value(_ field: String) -> String? { form?[field]?.values.first }
        messageCount = value("message-count").flatMap { Int($0) }
        pendingSubscriptionCount = value("pending-subscription-count").flatMap { Int($0) }
        lastSender = value("last-message-sender").flatMap { try? JID($0) }
        lastBody = value("last-message-body").map { String($0.prefix(Self.textLimit)) }
    }

    public func encode(to writer: inout XMLWriter) {
        var fields = [DataFormField(name: "FORM_TYPE", kind: .hidden, values: ["urn:xmpp:push:summary"])]
        func add(_ name: String, _ value: String?) {
            if let value { fields.append(DataFormField(name: name, values: [value])) }
        }
        add("message-count", messageCount.map { String($0) })
        add("pending-subscription-count", pendingSubscriptionCount.map { String($0) })
        add("last-message-sender", lastSender?.description)
        add("last-message-body", lastBody)
        writer.element(Self.name) { DataForm(kind: .submit, fields: fields).encode(to: &$0) }
    }
}
