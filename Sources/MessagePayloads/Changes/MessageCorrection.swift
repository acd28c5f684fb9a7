public import XMLStreaming
public import XMPPStanzas

/// Replaces an earlier message by the message that contains this element (XEP-0308 Last Message Correction §3).
///
/// ```
/// C: <message to='juliet@capulet.net/balcony' id='good1'>
///      <body>But soft, what light through yonder window breaks?</body>
///      <replace id='bad1' xmlns='urn:xmpp:message-correct:0'/></message>
/// ```
///
/// The complete content of the new message replaces that of the old one. Accept it only from the author of the old
/// message: `MessageAuthor` of MessageSemantics.
public struct MessageCorrection: MessagePayload, Hashable {
    public static let name = XMLName("replace", "urn:xmpp:message-correct:0")

    /// The `id` of the first version of the message, also when it has been corrected before (§5).
    public var messageID: String

    public init(of messageID: String) {
        self.messageID = messageID
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        messageID = try element.identifier("id")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        writer.end()
    }
}

extension Message {
    /// This message as the correction of an earlier one: without an id of its own, so that it gets a new one.
    ///
    /// The whole message must be sent again, not only what has changed (XEP-0308 §5).
    ///
    /// - Parameter messageID: The `id` of the first version.
    public func correcting(_ messageID: String) -> Message {
        var message = self
        message.id = nil
        for name in [MessageCorrection.name, OriginIdentifier.name, StanzaIdentifier.name] {
            message.payloads.removeAll(named: name)
        }
        message.append(MessageCorrection(of: messageID))
        return message
    }
}
