public import XMLStreaming
public import XMPPStanzas

/// Requests a delivery receipt (XEP-0184 Message Delivery Receipts §5.1).
public struct DeliveryReceiptRequest: MessagePayload, EmptyPayload, Equatable {
    public static let name = XMLName("request", "urn:xmpp:receipts")

    public init() {}
}

/// Confirms that a message has arrived at a device of the receiver (XEP-0184 Message Delivery Receipts §5.2).
///
/// ```
/// C: <message to='northumberland@shakespeare.lit/westminster'>
///      <received xmlns='urn:xmpp:receipts' id='richard2-4.1.247'/></message>
/// ```
public struct DeliveryReceipt: MessagePayload, Equatable {
    public static let name = XMLName("received", DeliveryReceiptRequest.name.namespace)

    /// The `id` of the received message.
    public var messageID: String

    public init(messageID: String) {
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
