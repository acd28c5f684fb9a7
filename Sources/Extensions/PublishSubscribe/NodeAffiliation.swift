public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The permanent relation of an account to a node (XEP-0060 Publish-Subscribe §4.1).
public enum NodeAffiliation: String, Sendable, Hashable, CaseIterable {
    /// Configures and deletes the node, and changes affiliations.
    case owner
    /// Publishes, and retracts what it has published.
    case publisher
    /// Publishes, but may neither subscribe nor read.
    case publishOnly = "publish-only"
    /// Subscribes and reads where only members may.
    case member
    case none
    /// May neither subscribe nor publish.
    case outcast
}

/// The affiliation of one account to one node (XEP-0060 Publish-Subscribe §5.7, §8.9).
///
/// ```
/// S: <affiliations><affiliation node='node1' affiliation='owner'/></affiliations>
/// S: <affiliations node='princely_musings'><affiliation jid='bard@shakespeare.lit' affiliation='publisher'/></affiliations>
/// ```
public struct NodeMember: Sendable, Hashable {
    /// `nil` if the list is of one node.
    public var node: String?
    /// `nil` in a list of our own affiliations.
    public var account: JID?
    public var affiliation: NodeAffiliation

    public init(node: String? = nil, account: JID? = nil, _ affiliation: NodeAffiliation) {
        self.node = node
        self.account = account
        self.affiliation = affiliation
    }

    /// The maximum number of entries of a list that are read; the largest public nodes have some thousands.
    private static let limit = 16_384

    /// The entries of a list. Invalid ones are skipped, so that one of them does not hide the others.
    static func list(in holder: XMLElement?) -> [NodeMember] {
        guard let holder else { return [] }
        let name = XMLName("affiliation", holder.namespace)
        return holder.children(name).prefix(limit).compactMap { child in
            guard let affiliation = child["affiliation"].flatMap(NodeAffiliation.init(rawValue:)),
                let account = try? child.address("jid")
            else {
                // An entry without an address is about ourselves.
                guard child["jid"] == nil, let value = child["affiliation"].flatMap(NodeAffiliation.init(rawValue:))
                else { return nil }
                return NodeMember(node: child["node"] ?? holder["node"], value)
            }
            return NodeMember(node: child["node"] ?? holder["node"], account: account, affiliation)
        }
    }

    static func encode(
        _ list: [NodeMember], of node: String?, to writer: inout XMLWriter, namespace: String
    ) {
        writer.start(XMLName("affiliations", namespace))
        writer.attribute("node", node)
        for entry in list {
            writer.start(XMLName("affiliation", namespace))
            if entry.node != node { writer.attribute("node", entry.node) }
            writer.attribute("jid", entry.account?.description)
            writer.attribute("affiliation", entry.affiliation.rawValue)
            writer.end()
        }
        writer.end()
    }
}

/// Requests our affiliations at a service (XEP-0060 Publish-Subscribe §5.7).
public struct AffiliationsRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request

    public struct Response: IQResponse, Equatable {
        public var affiliations: [NodeMember]

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            affiliations = NodeMember.list(in: payload?.firstChild(AffiliationsRequest.listName))
        }
    }

    /// Only that to this node.
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
        NodeMember.encode([], of: node, to: &writer, namespace: PublishSubscribeNames.client)
        writer.end()
    }

    private static let listName = XMLName("affiliations", PublishSubscribeNames.client)
}

/// Requests the affiliations to a node as its owner (XEP-0060 Publish-Subscribe §8.9.1).
public struct NodeMembersRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.ownerRequest

    public struct Response: IQResponse, Equatable {
        public var members: [NodeMember]

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            members = NodeMember.list(in: payload?.firstChild(NodeMembersRequest.listName))
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
        NodeMember.encode([], of: node, to: &writer, namespace: PublishSubscribeNames.owner)
        writer.end()
    }

    static let listName = XMLName("affiliations", PublishSubscribeNames.owner)
}

/// Changes affiliations to a node as its owner (XEP-0060 Publish-Subscribe §8.9.2). Affiliations that are not listed
/// stay.
///
/// ```
/// C: <iq type='set' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub#owner'>
///      <affiliations node='princely_musings'><affiliation jid='bard@shakespeare.lit' affiliation='publisher'/></affiliations>
///    </pubsub></iq>
/// ```
public struct NodeMembersChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.ownerRequest
    public static let iqType = IQ.Kind.set

    public var node: String
    public var members: [NodeMember]

    public init(node: String, _ members: [NodeMember]) {
        self.node = node
        self.members = members
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let list = try element.required(NodeMembersRequest.listName)
        self.init(node: try list.required("node"), NodeMember.list(in: list))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        NodeMember.encode(members, of: node, to: &writer, namespace: PublishSubscribeNames.owner)
        writer.end()
    }
}
