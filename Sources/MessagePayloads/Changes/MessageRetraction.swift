public import XMLStreaming
public import XMPPStanzas

/// Retracts an earlier message for all receivers (XEP-0424 Message Retraction §3).
///
/// ```
/// C: <message type='chat' to='lord@capulet.example' id='retract-message-1'>
///      <retract id='wrong-recipient-1' xmlns='urn:xmpp:message-retract:1'/>
///      <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:message-retract:1'/>
///      <body>…</body><store xmlns='urn:xmpp:hints'/></message>
/// ```
///
/// Accept it only from the author of the message (`MessageAuthor` of MessageSemantics), or, with a ``moderation``, from
/// the room itself: its bare address, not an occupant.
public struct MessageRetraction: MessagePayload, Hashable {
    public static let name = XMLName("retract", "urn:xmpp:message-retract:1")

    /// The identifier of the message: `MessageIdentity.Purpose.retraction` of MessageSemantics.
    public var messageID: String
    /// Set if a moderator retracts the message, not its author.
    public var moderation: MessageModeration?

    public init(of messageID: String, moderation: MessageModeration? = nil) {
        self.messageID = messageID
        self.moderation = moderation
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        messageID = try element.identifier("id")
        moderation = try MessageModeration(in: element)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        moderation?.encodeInside(&writer)
        writer.end()
    }
}

extension Message {
    /// Shown by programs that do not support retractions.
    public static let retractionFallback = "/me took back an earlier message, which this program cannot hide."

    /// Creates a message that retracts another one, such that archives store it.
    ///
    /// - Parameters:
    ///   - messageID: `MessageIdentity.Purpose.retraction` of MessageSemantics.
    ///   - fallback: shown by programs that do not support retractions; `nil` for none, and some archives drop it then.
    public func retracting(_ messageID: String, fallback: String? = retractionFallback) -> Message {
        var message = Message(to: to, type: type, body: fallback)
        message.append(MessageRetraction(of: messageID))
        if fallback != nil { message.append(FallbackIndication(for: MessageRetraction.name.namespace)) }
        message.payloads.append(ProcessingHint.store)
        return message
    }
}

/// Replaces a retracted message in an archive (XEP-0424 Message Retraction §4, a tombstone).
///
/// ```
/// S: <retracted stamp='2019-09-20T23:09:32Z' xmlns='urn:xmpp:message-retract:1' id='retract-message-1'/>
/// ```
public struct RetractedMessage: MessagePayload, Hashable {
    public static let name = XMLName("retracted", MessageRetraction.name.namespace)

    /// The `id` of the retracting message; rooms omit it after a moderation.
    public var retractionID: String?
    /// When it was retracted.
    public var stamp: Timestamp?
    /// Set if a moderator retracted the message, not its author.
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

/// Replaces a message in the archive of a room that a moderator retracted, in the earlier form (XEP-0425 before version
/// 0.3.0).
///
/// ```
/// S: <moderated by='room@muc.example.com/macbeth' xmlns='urn:xmpp:message-moderate:0'>
///      <retracted stamp='2019-09-20T23:09:32Z' xmlns='urn:xmpp:message-retract:0'/></moderated>
/// ```
public struct EarlierTombstone: MessagePayload, Hashable {
    public static let name = EarlierModeration.moderatedName

    /// The content in terms of the current version.
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
