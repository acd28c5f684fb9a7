public import XMLStreaming
public import XMPPStanzas

/// Says that the message's body is only there for programs that do not know another payload (XEP-0428 Fallback
/// Indication).
public struct FallbackIndication: MessagePayload, Equatable {
    public static let name = XMLName("fallback", "urn:xmpp:fallback:0")
    private static let bodyName = XMLName("body", name.namespace)

    /// The namespace of the payload that says the same in a better way.
    public var purpose: String?

    public init(for purpose: String?) {
        self.purpose = purpose
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        purpose = element["for"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("for", purpose)
        writer.element(Self.bodyName, text: "")
        writer.end()
    }
}
