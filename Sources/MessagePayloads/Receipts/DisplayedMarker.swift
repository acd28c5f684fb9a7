public import XMLStreaming
public import XMPPStanzas

/// Asks to be told when a person has seen the message (XEP-0333 Displayed Markers §4.1).
///
/// The message needs an `id`.
public struct DisplayedMarkerRequest: MessagePayload, Hashable {
    public static let name = XMLName("markable", "urn:xmpp:chat-markers:0")

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}

/// Says that a person has seen this message and all before it (XEP-0333 Displayed Markers §4.2).
///
/// ```
/// C: <message to='romeo@montegue.lit'><displayed xmlns='urn:xmpp:chat-markers:0' id='the-msg-1'/></message>
/// ```
///
/// A marker never goes back: one for a message older than the last is ignored, and so is one for a message that nobody
/// knows (§5).
public struct DisplayedMarker: MessagePayload, Hashable {
    public static let name = XMLName("displayed", DisplayedMarkerRequest.name.namespace)
    /// The form of drafts before 1.0 that said the person had also reacted to the message.
    static let acknowledgedName = XMLName("acknowledged", name.namespace)
    /// The form of drafts before 1.0 that said the message had arrived; receipts say that now.
    static let receivedName = XMLName("received", name.namespace)

    /// The identifier of the last message seen: `MessageIdentity.Purpose.displayedMarker` of MessageSemantics.
    public var messageID: String

    public init(messageID: String) {
        self.messageID = messageID
    }

    /// Reads `<displayed/>`, and the `<acknowledged/>` of drafts before 1.0, which said more.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        if !element.isNamed(Self.acknowledgedName) { try element.requireName(Self.name) }
        messageID = try element.required("id")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        writer.end()
    }
}

extension Message {
    /// How far the sender has seen the conversation, if the message says so, in the form of today or of the drafts.
    public var displayedMarker: DisplayedMarker? {
        if payloads.contains(DisplayedMarker.name) { return (try? payload(DisplayedMarker.self)) ?? nil }
        return payloads.first(DisplayedMarker.acknowledgedName).flatMap { try? DisplayedMarker(from: $0) }
    }

    /// The `id` of the message that has arrived at the sender's device, if the message says so in the form that drafts
    /// of XEP-0333 before 1.0 had beside receipts.
    public var receivedMarkerID: String? {
        payloads.first(DisplayedMarker.receivedName)?["id"]
    }

    /// Whether the message says how far messages have come, so that no marker may answer it (XEP-0333 §4.2).
    package var isMarker: Bool {
        [DisplayedMarker.name, DisplayedMarker.acknowledgedName, DisplayedMarker.receivedName].contains {
            payloads.contains($0)
        }
    }
}
