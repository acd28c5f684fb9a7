public import XMLStreaming
public import XMPPStanzas

/// Removes a node with everything in it (XEP-0060 Publish-Subscribe §8.4).
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
    /// Where subscribers find what comes instead.
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

/// Removes all items of a node and keeps the node (XEP-0060 Publish-Subscribe §8.5).
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
