public import XMLStreaming
public import XMPPAddress

/// One item of a node: an identifier and the payload that was published under it (XEP-0060 Publish-Subscribe §4.2).
public struct PublishedItem: Sendable, Equatable {
    /// Unique in its node; `nil` in a notice that does not say it.
    public var id: String?
    /// Who published it, where the service says so. The service's word, not a proof.
    public var publisher: JID?
    /// `nil` when the node's notices come without the payload, and for nodes that have none.
    public var payload: XMLElement?

    public init(id: String? = nil, publisher: JID? = nil, payload: XMLElement? = nil) {
        self.id = id
        self.publisher = publisher
        self.payload = payload
    }

    init(reading element: XMLElement) {
        id = element["id"]
        publisher = element["publisher"].flatMap { try? JID($0) }
        payload = element.firstChild
    }

    func encode(to writer: inout XMLWriter, namespace: String) {
        writer.start(XMLName("item", namespace))
        writer.attribute("id", id)
        writer.attribute("publisher", publisher?.description)
        if let payload { writer.write(payload) }
        writer.end()
    }

    /// The payload as a type; `nil` when there is none or another one, and an error when it cannot be read.
    public func decode<Payload: XMLPayload>(_ type: Payload.Type) throws(XMLDecodingError) -> Payload? {
        guard let payload, payload.isNamed(Payload.name) else { return nil }
        return try Payload(from: payload)
    }
}
