public import XMLStreaming
public import XMPPStanzas

/// Requests the identities and features of an entity (XEP-0030 Service Discovery §3.1).
public struct DiscoveryInformationRequest: IQRequest, Equatable {
    public typealias Response = DiscoveryInformation
    public static let name = DiscoveryInformation.name

    public var node: String?

    public init(node: String? = nil) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = element["node"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("node", node)
        writer.end()
    }
}

/// Requests the addresses and nodes associated with an entity (XEP-0030 Service Discovery §4.1).
public struct DiscoveryItemsRequest: IQRequest, Equatable {
    public typealias Response = DiscoveryItems
    public static let name = DiscoveryItems.name

    public var node: String?

    public init(node: String? = nil) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = element["node"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("node", node)
        writer.end()
    }
}
