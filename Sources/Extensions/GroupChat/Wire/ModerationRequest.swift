internal import MessageFeatures
public import XMLStreaming
public import XMPPStanzas

/// A moderator's wish that nobody shows a message any more (XEP-0425 Moderated Message Retraction §3.2).
///
/// ```
/// C: <iq type='set' to='room@muc.example.com'><moderate id='stanza-id-1' xmlns='urn:xmpp:message-moderate:1'>
///      <retract xmlns='urn:xmpp:message-retract:1'/><reason>Inappropriate</reason></moderate></iq>
/// ```
public struct ModerationRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("moderate", "urn:xmpp:message-moderate:1")
    public static let iqType = IQ.Kind.set

    /// The `stanza-id` that the room gave to the message.
    public var messageID: String
    public var reason: String?

    public init(messageID: String, reason: String? = nil) {
        self.messageID = messageID
        self.reason = reason
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        messageID = try element.required("id")
        _ = try element.required(MessageRetraction.name)
        reason = element.firstChild(Self.reasonName)?.text
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        writer.element(MessageRetraction.name, text: "")
        if let reason { writer.element(Self.reasonName, text: reason) }
        writer.end()
    }

    private static let reasonName = XMLName("reason", name.namespace)
}
