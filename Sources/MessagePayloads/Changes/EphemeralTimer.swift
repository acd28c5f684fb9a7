public import XMLStreaming
public import XMPPStanzas

/// How long after it was read a message is discarded by everybody who has it (XEP-0466 Ephemeral Messages).
///
/// ```
/// C: <message to='rosa@example.com' type='chat'><body>Something</body>
///      <ephemeral xmlns='urn:xmpp:ephemeral:0' timer='604800'/></message>
/// ```
///
/// A message without a text and with a timer changes the timer of the conversation. It is a request, not a protection:
/// a program of the other side can keep everything. Announce the feature only in a program that does discard.
public struct EphemeralTimer: MessagePayload, Hashable {
    public static let name = XMLName("ephemeral", "urn:xmpp:ephemeral:0")

    /// In seconds.
    public var seconds: UInt32

    public init(seconds: UInt32) {
        self.seconds = seconds
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let seconds: UInt32 = try element.value("timer") else {
            throw XMLDecodingError(Self.name, .missingAttribute("timer"))
        }
        self.seconds = seconds
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("timer", String(seconds))
        writer.end()
    }
}
