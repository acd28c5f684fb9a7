public import XMLStreaming
public import XMPPStanzas

/// Stands in an archive where a message was before it was taken back (XEP-0424 Message Retraction §4, a tombstone).
///
/// ```
/// S: <retracted stamp='2019-09-20T23:09:32Z' xmlns='urn:xmpp:message-retract:1' id='retract-message-1'/>
/// ```
public struct RetractedMessage: MessagePayload, Hashable {
    public static let name = XMLName("retracted", MessageRetraction.name.namespace)

    /// The `id` of the message that asked for the retraction; rooms leave it out after a moderation.
    public var retractionID: String?
    /// When it was taken back.
    public var stamp: Timestamp?
    /// Set if a moderator took the message back, not its author.
    public var moderation: MessageModeration?

    public init(retractionID: String?, stamp: Timestamp? = nil, moderation: MessageModeration? = nil) {
        self.retractionID = retractionID
        self.stamp = stamp
        self.moderation = moderation
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        retractionID = element["id"]
        stamp = try element.value("stamp")
        moderation = try MessageModeration(in: element)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", retractionID)
        writer.attribute("stamp", stamp?.description)
        moderation?.encodeInside(&writer)
        writer.end()
    }
}
