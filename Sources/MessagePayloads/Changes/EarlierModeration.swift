public import XMLStreaming
internal import XMPPAddress
public import XMPPStanzas

/// A room takes a message back in the form that servers of 2019 to 2024 send, such as Prosody with the module of Debian 12 (XEP-0425
/// before version 0.3.0, with XEP-0422).
///
/// ```
/// S: <message type='groupchat' from='room@muc.example.com'><apply-to xmlns='urn:xmpp:fasten:0' id='stanza-id-1'>
///      <moderated xmlns='urn:xmpp:message-moderate:0' by='room@muc.example.com/macbeth'>
///        <retract xmlns='urn:xmpp:message-retract:0'/><reason>Inappropriate</reason></moderated></apply-to></message>
/// ```
///
/// `Message.moderatedRetraction` reads both forms.
public struct EarlierModeration: MessagePayload, Hashable {
    public static let name = XMLName("apply-to", "urn:xmpp:fasten:0")

    /// What it says, as the present form would.
    public var retraction: MessageRetraction

    public init(of messageID: String, moderation: MessageModeration) {
        retraction = MessageRetraction(of: messageID, moderation: moderation)
    }

    /// - Throws: also if something else is fastened to the message.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let moderated = try element.required(Self.moderatedName)
        _ = try moderated.required(Self.retractName)
        self.init(of: try element.required("id"), moderation: try Self.moderation(in: moderated))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", retraction.messageID)
        writer.start(Self.moderatedName)
        writer.attribute("by", retraction.moderation?.moderator?.description)
        if let occupantID = retraction.moderation?.occupantID {
            writer.start(MessageModeration.occupantName)
            writer.attribute("id", occupantID)
            writer.end()
        }
        writer.element(Self.retractName, text: "")
        if let reason = retraction.moderation?.reason { writer.element(Self.reasonName, text: reason) }
        writer.end()
        writer.end()
    }

    static func moderation(in moderated: XMLElement) throws(XMLDecodingError) -> MessageModeration {
        var moderation = MessageModeration(
            occupantID: moderated.firstChild(MessageModeration.occupantName)?["id"],
            reason: moderated.firstChild(reasonName)?.text)
        if let text = moderated["by"] {
            guard let address = try? JID(text) else {
                throw XMLDecodingError(moderatedName, .invalidAttribute("by", value: text))
            }
            moderation.moderator = address
        }
        return moderation
    }

    static let moderatedName = XMLName("moderated", "urn:xmpp:message-moderate:0")
    private static let retractName = XMLName("retract", "urn:xmpp:message-retract:0")
    static let reasonName = XMLName("reason", moderatedName.namespace)
}
