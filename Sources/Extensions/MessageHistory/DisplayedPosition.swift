public import MessageFeatures
public import XMLStreaming
public import XMPPStanzas

/// Up to which message a conversation has been displayed on one of the own devices (XEP-0490 Message Displayed
/// Synchronization §4.1).
///
/// ```
/// <displayed xmlns='urn:xmpp:mds:displayed:0'>
///   <stanza-id xmlns='urn:xmpp:sid:0' by='juliet@capulet.lit' id='0f710f2b-52ed-4d52-b928-784dad74a52b'/></displayed>
/// ```
public struct DisplayedPosition: MessagePayload, Hashable {
    public static let name = XMLName("displayed", "urn:xmpp:mds:displayed:0")
    /// The node of the own account that holds one item a conversation, called by the address of the other side.
    public static let node = name.namespace
    /// What an account announces whose server keeps positions that go with a message (§4.4.1).
    static let assistance = "urn:xmpp:mds:server-assist:0"

    /// The newest displayed message, by the identifier that the room gave to it, or else the own server.
    public var message: StanzaIdentifier

    public init(_ message: StanzaIdentifier) {
        self.message = message
    }

    /// - Throws: unless there is exactly one identifier.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        message = try StanzaIdentifier(from: try element.required(StanzaIdentifier.name))
        guard Array(element.children(StanzaIdentifier.name)).count == 1 else {
            throw XMLDecodingError(StanzaIdentifier.name, .unexpectedElement)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name) { message.encode(to: &$0) }
    }
}
