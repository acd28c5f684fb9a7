import XMLStreaming
public import XMPPAddress

/// Who moderated a message of a room, and why (XEP-0425 Moderated Message Retraction §3.1).
///
/// ```
/// S: <moderated by='room@muc.example.com/macbeth' xmlns='urn:xmpp:message-moderate:1'>
///      <occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72603d'/></moderated>
///    <reason>This message contains inappropriate content for this forum</reason>
/// ```
public struct MessageModeration: Sendable, Hashable {
    static let name = XMLName("moderated", "urn:xmpp:message-moderate:1")
    private static let reasonName = XMLName("reason", MessageRetraction.name.namespace)
    private static let foreignReasonName = XMLName("reason", name.namespace)
    static let occupantName = XMLName("occupant-id", "urn:xmpp:occupant-id:0")

    /// The moderator; rooms may keep it to themselves.
    public var moderator: JID?
    /// The identifier that the room gave to the moderator, as XEP-0421 defines it.
    public var occupantID: String?
    public var reason: String?

    public init(by moderator: JID? = nil, occupantID: String? = nil, reason: String? = nil) {
        self.moderator = moderator
        self.occupantID = occupantID
        self.reason = reason
    }

    /// The moderation that a `<retract/>` or `<retracted/>` speaks of, if it does.
    init?(in element: XMLElement) throws(XMLDecodingError) {
        guard let moderated = element.firstChild(Self.name) else { return nil }
        if let text = moderated["by"] {
            guard let address = try? JID(text) else {
                throw XMLDecodingError(Self.name, .invalidAttribute("by", value: text))
            }
            moderator = address
        }
        occupantID = moderated.firstChild(Self.occupantName)?["id"]
        // ejabberd 24.12 puts it into the other namespace.
        reason = (element.firstChild(Self.reasonName) ?? element.firstChild(Self.foreignReasonName))?.text
    }

    /// Writes what stands inside the `<retract/>` or `<retracted/>`.
    func encodeInside(_ writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("by", moderator?.description)
        if let occupantID {
            writer.start(Self.occupantName)
            writer.attribute("id", occupantID)
            writer.end()
        }
        writer.end()
        if let reason { writer.element(Self.reasonName, text: reason) }
    }
}
