internal import DataForms
public import MessagePayloads
public import XMLStreaming
public import XMPPClient
public import XMPPStanzas

/// A service outside of XMPP that a server recommends, such as a relay for calls (XEP-0215 External Service Discovery).
///
/// ```
/// S: <service host='relay.shakespeare.lit' password='jj929jkj5sadjfj93v3n' port='9999' transport='udp' type='turn'
///      username='nb78932lkjlskjfdb7g8'/>
/// ```
public struct ExternalService: Sendable, Hashable {
    /// What a credential of the server allows until it expires.
    public struct Credential: Sendable, Hashable {
        public var userName: String
        public var password: String

        public init(userName: String, password: String) {
            self.userName = userName
            self.password = password
        }
    }

    /// A host name or an IP address.
    public var host: String
    /// The registered name of the kind, such as `stun` or `turn`.
    public var type: String
    public var port: UInt16?
    /// `udp` or `tcp`.
    public var transport: String?
    public var name: String?
    public var credential: Credential?
    public var expires: Timestamp?
    /// Whether the service needs credentials: ``ServiceDiscovery/credentials(for:)``.
    public var isRestricted: Bool

    public init(
        host: String, type: String, port: UInt16? = nil, transport: String? = nil, name: String? = nil,
        credential: Credential? = nil, expires: Timestamp? = nil, isRestricted: Bool = false
    ) {
        self.host = host
        self.type = type
        self.port = port
        self.transport = transport
        self.name = name
        self.credential = credential
        self.expires = expires
        self.isRestricted = isRestricted
    }

    public static let feature = "urn:xmpp:extdisco:2"
    /// The maximum number of services that are read.
    private static let limit = 64

    init(reading element: XMLElement) throws(XMLDecodingError) {
        host = try element.required("host")
        type = try element.required("type")
        port = try element.value("port")
        transport = element["transport"]
        name = element["name"]
        if let userName = element["username"], let password = element["password"] {
            credential = Credential(userName: userName, password: password)
        }
        expires = element["expires"].flatMap { Timestamp($0) }
        isRestricted = try element.boolean("restricted") ?? false
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(Self.elementName)
        writer.attribute("expires", expires?.description)
        writer.attribute("host", host)
        writer.attribute("name", name)
        writer.attribute("password", credential?.password)
        writer.attribute("port", port.map { String($0) })
        writer.attribute("restricted", isRestricted ? "true" : nil)
        writer.attribute("transport", transport)
        writer.attribute("type", type)
        writer.attribute("username", credential?.userName)
        writer.end()
    }

    /// Invalid services, and those that are about to be removed, are skipped.
    static func list(in element: XMLElement) -> [ExternalService] {
        element.children(elementName).filter { $0["action"] != "delete" }.prefix(limit).compactMap {
            try? ExternalService(reading: $0)
        }
    }

    fileprivate static let elementName = XMLName("service", feature)
}

/// Requests the services that a server recommends (XEP-0215 External Service Discovery §3.1, §3.2).
public struct ExternalServicesRequest: IQRequest, Equatable {
    public static let name = XMLName("services", ExternalService.feature)

    public struct Response: IQResponse, Equatable {
        public var services: [ExternalService]

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            services = payload.map(ExternalService.list(in:)) ?? []
        }
    }

    /// Only those of this kind.
    public var type: String?

    public init(type: String? = nil) {
        self.type = type
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        type = element["type"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("type", type)
        writer.end()
    }
}

/// Requests credentials for a service (XEP-0215 External Service Discovery §3.3).
public struct ExternalCredentialsRequest: IQRequest, Equatable {
    public typealias Response = ExternalServicesRequest.Response
    public static let name = XMLName("credentials", ExternalService.feature)

    public var service: ExternalService

    /// - Parameter service: only its host, its kind and its port are sent.
    public init(_ service: ExternalService) {
        self.service = ExternalService(host: service.host, type: service.type, port: service.port)
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(try ExternalService(reading: try element.required(ExternalService.elementName)))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name) { service.encode(to: &$0) }
    }
}

extension ServiceDiscovery {
    /// The services that our server recommends; none if it has no such list.
    ///
    /// - Parameter type: only those of this kind, such as `turn`.
    public func externalServices(type: String? = nil) async throws(ClientError) -> [ExternalService] {
        let server = try await ownServer()
        guard try await information(of: server).features.contains(ExternalService.feature) else { return [] }
        return try await session.request(ExternalServicesRequest(type: type), to: server).services
    }

    /// The same service with credentials, one entry for each of its ports.
    public func credentials(for service: ExternalService) async throws(ClientError) -> [ExternalService] {
        try await session.request(ExternalCredentialsRequest(service), to: try await ownServer()).services
    }
}
