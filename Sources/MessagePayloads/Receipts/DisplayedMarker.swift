public import XMLStreaming
public import XMPPStanzas

/// Requests a displayed marker (XEP-0333 Displayed Markers §4.1).
///
/// The message needs an `id`.
public struct DisplayedMarkerRequest: MessagePayload, EmptyPayload, Hashable {
    public static let name = XMLName("markable", "urn:xmpp:chat-markers:0")

    public init() {}
}

/// States that a person has seen this message and all earlier ones (XEP-0333 Displayed Markers §4.2).
///
/// ```
/// C: <message to='romeo@montegue.lit'><displayed xmlns='urn:xmpp:chat-markers:0' id='the-msg-1'/></message>
/// ```
///
/// A marker never moves backwards: one for a message older than the last, or for an unknown message, is ignored (§5).
public struct DisplayedMarker: MessagePayload, Hashable {
    public static let name = XMLName("displayed", DisplayedMarkerRequest.name.namespace)
    /// Drafts before 1.0: the user has also reacted to the message.
    static let acknowledgedName = XMLName("acknowledged", name.namespace)
    /// Drafts before 1.0: the message was received; now a delivery receipt.
    static let receivedName = XMLName("received", name.namespace)

    /// The identifier of the last message seen: `MessageIdentity.Purpose.displayedMarker` of MessageSemantics.
    public var messageID: String

    public init(messageID: String) {
        self.messageID = messageID
    }

    /// Reads `<displayed/>`, and the `<acknowledged/>` of drafts before 1.0.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        if !element.isNamed(Self.acknowledgedName) { try element.requireName(Self.name) }
        messageID = try element.identifier("id")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        writer.end()
    }
}

extension Message {
    /// The displayed marker in the message, in the current or the draft form.
    public var displayedMarker: DisplayedMarker? {
        if payloads.contains(DisplayedMarker.name) { return (try? payload(DisplayedMarker.self)) ?? nil }
        return payloads.first(DisplayedMarker.acknowledgedName).flatMap { try? DisplayedMarker(from: $0) }
    }

    /// The `id` of the received message, in the form that drafts of XEP-0333 before 1.0 had in addition to receipts.
    public var receivedMarkerID: String? {
        payloads.first(DisplayedMarker.receivedName)?["id"]
    }

    /// Whether the message itself is a marker, which must not be answered by one (XEP-0333 §4.2).
    package var isMarker: Bool {
        [DisplayedMarker.name, DisplayedMarker.acknowledgedName, DisplayedMarker.receivedName].contains {
            payloads.contains($0)
        }
    }
}
