public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Makes a node, if wanted with a configuration (XEP-0060 Publish-Subscribe §8.1).
///
/// ```
/// C: <iq type='set' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <create node='princely_musings'/></pubsub></iq>
/// ```
public struct NodeCreation: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    /// The name of the node, where the service chose or changed it.
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
