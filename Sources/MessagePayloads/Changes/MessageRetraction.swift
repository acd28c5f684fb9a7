public import XMLStreaming
public import XMPPStanzas

/// Asks everybody to take a message back (XEP-0424 Message Retraction §3).
///
/// ```
/// C: <message type='chat' to='lord@capulet.example' id='retract-message-1'>
///      <retract id='wrong-recipient-1' xmlns='urn:xmpp:message-retract:1'/>
///      <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:message-retract:1'/>
///      <body>…</body><store xmlns='urn:xmpp:hints'/></message>
/// ```
///
/// Believe it from the author of the message (`MessageAuthor` of MessageSemantics), or, with a ``moderation``, from the room itself: its
/// bare address, not an occupant.
public struct MessageRetraction: MessagePayload, Hashable {
    public static let name = XMLName("retract", "urn:xmpp:message-retract:1")

    /// The identifier of the message: `MessageIdentity.Purpose.retraction` of MessageSemantics.
    public var messageID: String
    /// Set if a moderator takes the message back, not its author.
    public var moderation: MessageModeration?

    public init(of messageID: String, moderation: MessageModeration? = nil) {
        self.messageID = messageID
        self.moderation = moderation
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        messageID = try element.required("id")
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
    /// What programs show that do not know retractions.
    public static let retractionFallback = "/me took back an earlier message, which this program cannot hide."

    /// The message that takes another one back, made so that archives keep it.
    ///
    /// - Parameters:
    ///   - messageID: `MessageIdentity.Purpose.retraction` of MessageSemantics.
    ///   - fallback: What programs show that do not know retractions; `nil` for nothing, and some archives forget it
    ///     then.
    public func retracting(_ messageID: String, fallback: String? = retractionFallback) -> Message {
        var message = Message(to: to, type: type, body: fallback)
        message.append(MessageRetraction(of: messageID))
        if fallback != nil { message.append(FallbackIndication(for: MessageRetraction.name.namespace)) }
        message.payloads.append(ProcessingHint.store)
        return message
    }
}
