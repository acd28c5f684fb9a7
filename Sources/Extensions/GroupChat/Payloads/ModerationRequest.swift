internal import MessageFeatures
public import XMLStreaming
public import XMPPStanzas

/// Retracts a message of another occupant as a moderator (XEP-0425 Moderated Message Retraction §3.2).
///
/// ```
/// C: <iq type='set' to='room@muc.example.com'><moderate id='stanza-id-1' xmlns='urn:xmpp:message-moderate:1'>
///      <retract xmlns='urn:xmpp:message-retract:1'/><reason>Inappropriate</reason></moderate></iq>
/// ```
public struct ModerationRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("moderate", "urn:xmpp:message-moderate:1")
    public static let iqType = IQ.Kind.set

    /// The `stanza-id` that the room assigned to the message.
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

/// Retracts a message as a moderator, in the form that older servers support (XEP-0425 before version 0.3.0, with
/// XEP-0422).
///
/// ```
/// C: <iq type='set' to='room@muc.example.com'><apply-to id='stanza-id-1' xmlns='urn:xmpp:fasten:0'>
///      <moderate xmlns='urn:xmpp:message-moderate:0'><retract xmlns='urn:xmpp:message-retract:0'/>
///        <reason>Inappropriate</reason></moderate></apply-to></iq>
/// ```
public struct EarlierModerationRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("apply-to", "urn:xmpp:fasten:0")
    public static let iqType = IQ.Kind.set
    /// The feature that rooms with this form announce.
    public static let feature = "urn:xmpp:message-moderate:0"

    /// The `stanza-id` that the room assigned to the message.
    public var messageID: String
    public var reason: String?

    public init(messageID: String, reason: String? = nil) {
        self.messageID = messageID
        self.reason = reason
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        messageID = try element.required("id")
        let moderate = try element.required(Self.moderateName)
        _ = try moderate.required(Self.retractName)
        reason = moderate.firstChild(Self.reasonName)?.text
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        writer.start(Self.moderateName)
        writer.element(Self.retractName, text: "")
        if let reason { writer.element(Self.reasonName, text: reason) }
        writer.end()
        writer.end()
    }

    private static let moderateName = XMLName("moderate", feature)
    private static let retractName = XMLName("retract", "urn:xmpp:message-retract:0")
    private static let reasonName = XMLName("reason", feature)
}
