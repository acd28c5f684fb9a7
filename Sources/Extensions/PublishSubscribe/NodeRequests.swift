public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Creates a node, optionally with a configuration (XEP-0060 Publish-Subscribe §8.1).
///
/// ```
/// C: <iq type='set' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <create node='princely_musings'/></pubsub></iq>
/// ```
public struct NodeCreation: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    /// The name of the node, if the service chose or changed it.
    public struct Response: IQResponse, Equatable {
        public var node: String?

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            node = payload?.firstChild(NodeCreation.createName)?["node"]
        }
    }

    /// `nil` lets the service choose (§8.1.2).
    public var node: String?
    public var configuration: DataForm?

    public init(node: String?, configuration: DataForm? = nil) {
        self.node = node
        self.configuration = configuration
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = try element.required(Self.createName)["node"]
        configuration = try element.firstChild(PublishSubscribeNames.configure)?.decode(DataForm.self)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.createName)
        writer.attribute("node", node)
        writer.end()
        if let configuration { writer.element(PublishSubscribeNames.configure) { configuration.encode(to: &$0) } }
        writer.end()
    }

    static let createName = XMLName("create", PublishSubscribeNames.client)
}

/// Deletes a node with all its items (XEP-0060 Publish-Subscribe §8.4).
///
/// ```
/// C: <iq type='set' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub#owner'>
///      <delete node='princely_musings'><redirect uri='xmpp:hamlet@denmark.lit?;node=blog'/></delete></pubsub></iq>
/// ```
public struct NodeRemoval: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.ownerRequest
    public static let iqType = IQ.Kind.set

    public var node: String
    /// The URI of the node that replaces it, for subscribers.
    public var replacement: String?

    public init(node: String, replacement: String? = nil) {
        self.node = node
        self.replacement = replacement
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let delete = try element.required(Self.deleteName)
        node = try delete.required("node")
        replacement = delete.firstChild(Self.redirectName)?["uri"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.deleteName)
        writer.attribute("node", node)
        if let replacement {
            writer.start(Self.redirectName)
            writer.attribute("uri", replacement)
            writer.end()
        }
        writer.end()
        writer.end()
    }

    private static let deleteName = XMLName("delete", PublishSubscribeNames.owner)
    private static let redirectName = XMLName("redirect", PublishSubscribeNames.owner)
}

/// Deletes all items of a node but not the node itself (XEP-0060 Publish-Subscribe §8.5).
public struct NodePurge: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.ownerRequest
    public static let iqType = IQ.Kind.set

    public var node: String

    public init(node: String) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = try element.required(Self.purgeName).required("node")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(Self.purgeName)
        writer.attribute("node", node)
        writer.end()
        writer.end()
    }

    private static let purgeName = XMLName("purge", PublishSubscribeNames.owner)
}
