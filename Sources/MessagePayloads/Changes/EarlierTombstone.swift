public import XMLStreaming
public import XMPPStanzas

/// What stands in the archive of a room where a message was before a moderator took it back, in the earlier form (XEP-0425 before
/// version 0.3.0).
///
/// ```
/// S: <moderated by='room@muc.example.com/macbeth' xmlns='urn:xmpp:message-moderate:0'>
///      <retracted stamp='2019-09-20T23:09:32Z' xmlns='urn:xmpp:message-retract:0'/></moderated>
/// ```
public struct EarlierTombstone: MessagePayload, Hashable {
    public static let name = EarlierModeration.moderatedName

    /// What it says, as the present form would.
    public var retracted: RetractedMessage

    public init(_ retracted: RetractedMessage) {
        self.retracted = retracted
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let stamp: Timestamp? = try element.required(Self.retractedName).value("stamp")
        retracted = RetractedMessage(
            retractionID: nil, stamp: stamp, moderation: try EarlierModeration.moderation(in: element))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("by", retracted.moderation?.moderator?.description)
        writer.start(Self.retractedName)
        writer.attribute("stamp", retracted.stamp?.description)
        writer.end()
        if let reason = retracted.moderation?.reason { writer.element(EarlierModeration.reasonName, text: reason) }
        if let occupantID = retracted.moderation?.occupantID {
            writer.start(MessageModeration.occupantName)
            writer.attribute("id", occupantID)
            writer.end()
        }
        writer.end()
    }

    private static let retractedName = XMLName("retracted", "urn:xmpp:message-retract:0")
}
