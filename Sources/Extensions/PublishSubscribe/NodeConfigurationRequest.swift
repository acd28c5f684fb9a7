public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Asks the owner's question: how is this node configured (XEP-0060 Publish-Subscribe §8.2)? Without a node: how would a new
/// one be (§8.3)?
public struct NodeConfigurationRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.ownerRequest

    /// The form, with the present values in it.
    public struct Response: IQResponse, Equatable {
        public var form: DataForm

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            guard let payload else {
                throw XMLDecodingError(IQ.name, .missingElement(PublishSubscribeNames.ownerRequest))
            }
            let holder =
                payload.firstChild(PublishSubscribeNames.ownerConfigure)
                ?? payload.firstChild(NodeConfigurationRequest.defaultName)
            guard let form = try holder?.decode(DataForm.self) else {
                throw XMLDecodingError(payload.name, .missingElement(DataForm.name))
            }
            self.form = form
        }
    }

    public var node: String?

    public init(node: String? = nil) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        if let configure = element.firstChild(PublishSubscribeNames.ownerConfigure) {
            node = try configure.required("node")
        } else {
            _ = try element.required(Self.defaultName)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(node == nil ? Self.defaultName : PublishSubscribeNames.ownerConfigure)
        writer.attribute("node", node)
        writer.end()
        writer.end()
    }

    static let defaultName = XMLName("default", PublishSubscribeNames.owner)
}

/// Configures a node (XEP-0060 Publish-Subscribe §8.2.4).
public struct NodeConfigurationChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.ownerRequest
    public static let iqType = IQ.Kind.set

    public var node: String
    public var form: DataForm

    public init(node: String, form: DataForm) {
        self.node = node
        self.form = form
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let configure = try element.required(PublishSubscribeNames.ownerConfigure)
        node = try configure.required("node")
        form = try DataForm(from: try configure.required(DataForm.name))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(PublishSubscribeNames.ownerConfigure)
        writer.attribute("node", node)
        form.encode(to: &writer)
        writer.end()
        writer.end()
    }
}
