public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

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

    /// The moderator; rooms may hide it.
    public var moderator: JID?
    /// The moderator's occupant id (XEP-0421).
    public var occupantID: String?
    public var reason: String?

    public init(by moderator: JID? = nil, occupantID: String? = nil, reason: String? = nil) {
        self.moderator = moderator
        self.occupantID = occupantID
        self.reason = reason
    }

    /// The moderation in a `<retract/>` or `<retracted/>`, if there is one.
    init?(in element: XMLElement) throws(XMLDecodingError) {
        guard let moderated = element.firstChild(Self.name) else { return nil }
        if let text = moderated["by"] {
            guard let address = try? JID(text) else {
                throw XMLDecodingError(Self.name, .invalidAttribute("by", value: text))
            }
            moderator = address
        }
        occupantID = moderated.firstChild(Self.occupantName)?["id"]
        // ejabberd 24.12 uses the other namespace.
        reason = (element.firstChild(Self.reasonName) ?? element.firstChild(Self.foreignReasonName))?.text
    }

    /// Writes the content of `<retract/>` or `<retracted/>`.
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

extension Message {
    /// The message that a moderator retracts with this one, in the current or the earlier version; servers send both at
    /// once.
    ///
    /// Trust it only from the bare address of a room.
    public var moderatedRetraction: MessageRetraction? {
        let earlier = ((try? payload(EarlierModeration.self)) ?? nil)?.retraction
        guard var present = (try? payload(MessageRetraction.self)) ?? nil, var moderation = present.moderation else {
            return earlier
        }
        // Prosody includes the moderator in the earlier version only.
        if let earlier, earlier.messageID == present.messageID {
            moderation.moderator = moderation.moderator ?? earlier.moderation?.moderator
            moderation.reason = moderation.reason ?? earlier.moderation?.reason
        }
        present.moderation = moderation
        return present
    }

    /// The tombstone of a retracted message in an archive, in the current or the earlier version.
    public var tombstone: RetractedMessage? {
        (try? payload(RetractedMessage.self)) ?? ((try? payload(EarlierTombstone.self)) ?? nil)?.retracted
    }
}

/// Retracts a message on behalf of the room in the form that servers of 2019 to 2024 send, such as Prosody with the
/// module of Debian 12 (XEP-0425 before version 0.3.0, with XEP-0422).
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

    /// The content in terms of the current version.
    public var retraction: MessageRetraction

    public init(of messageID: String, moderation: MessageModeration) {
        retraction = MessageRetraction(of: messageID, moderation: moderation)
    }

    /// - Throws: also if something else is fastened to the message.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let moderated = try element.required(Self.moderatedName)
        _ = try moderated.required(Self.retractName)
        self.init(of: try element.identifier("id"), moderation: try Self.moderation(in: moderated))
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
