public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// When a stanza was originally sent, if it was stored on the way (XEP-0203 Delayed Delivery).
///
/// ```
/// S: <delay xmlns='urn:xmpp:delay' from='capulet.com' stamp='2002-09-10T23:08:25Z'>Offline storage</delay>
/// ```
public struct DelayedDelivery: MessagePayload, PresencePayload, Hashable {
    public static let name = XMLName("delay", "urn:xmpp:delay")

    /// The entity that delayed it. Trust it only from the account's server, the archive, or a joined room (§5).
    public var from: JID?
    public var stamp: Timestamp
    public var reason: String?

    public init(stamp: Timestamp, from: JID? = nil, reason: String? = nil) {
        self.stamp = stamp
        self.from = from
        self.reason = reason
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let text = try element.required("stamp")
        guard let stamp = Timestamp(text) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("stamp", value: text))
        }
        let reason = element.text
        self.init(
            stamp: stamp, from: element["from"].flatMap { try? JID($0) }, reason: reason.isEmpty ? nil : reason)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("from", from?.description)
        writer.attribute("stamp", stamp.description)
        if let reason { writer.text(reason) }
        writer.end()
    }
}
