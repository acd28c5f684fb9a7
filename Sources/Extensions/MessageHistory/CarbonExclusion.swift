public import XMLStreaming
public import XMPPStanzas

/// Keeps a message to the devices it goes between: the servers make no copies of it (XEP-0280 §8.1 Message Carbons).
///
/// ```
/// C: <message to='juliet@capulet.example/balcony'>…<private xmlns='urn:xmpp:carbons:2'/></message>
/// ```
///
/// Beside it belongs the hint `no-copy` of XEP-0334, for servers that look for that.
public struct CarbonExclusion: MessagePayload, Equatable {
    public static let name = XMLName("private", "urn:xmpp:carbons:2")

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) { try element.requireName(Self.name) }

    public func encode(to writer: inout XMLWriter) { writer.element(Self.name) }
}
