public import MessageFeatures
public import XMLStreaming
public import XMPPStanzas

/// A message inside another one (XEP-0297 Stanza Forwarding §3).
///
/// ```
/// S: <forwarded xmlns='urn:xmpp:forward:0'>
///      <delay xmlns='urn:xmpp:delay' stamp='2010-07-10T23:08:25Z'/>
///      <message xmlns='jabber:client' from='juliet@capulet.lit/orchard' to='romeo@montague.lit'>…</message></forwarded>
/// ```
///
/// The content can be forged, with any sender. Trust it only as part of a payload that proves the source: a result of
/// the archive that was queried, or a carbon from our own account. If a user forwards a message, the only authority is
/// that user (§5).
public struct ForwardedMessage: MessagePayload, Hashable {
    public static let name = XMLName("forwarded", "urn:xmpp:forward:0")

    /// `nil` if an archive removed the message and kept the item (XEP-0313 §3.2).
    public var message: Message?
    /// When the forwarder received it.
    public var delay: DelayedDelivery?

    public init(_ message: Message?, delay: DelayedDelivery? = nil) {
        self.message = message
        self.delay = delay
    }

    /// - Throws: if the message inside cannot be parsed. An invalid time is ignored.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        delay = Self.delay(in: element)
        message = try element.decode(Message.self)
        // Several components parse the same copy: the one that reads the carbon, and the one that stores the message.
        message?.payloads.rememberDecoded()
    }

    static func delay(in element: XMLElement) -> DelayedDelivery? {
        (try? element.decode(DelayedDelivery.self)) ?? nil
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        delay?.encode(to: &writer)
        message?.encode(to: &writer)
        writer.end()
    }
}
