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
/// Anybody can write anything into it, with any sender. It is believed only as a part of something that says who may
/// send it: an archive's answer from the archive that was asked, a copy from the own account. A person who forwards a
/// message vouches for it alone (§5).
public struct ForwardedMessage: MessagePayload, Hashable {
    public static let name = XMLName("forwarded", "urn:xmpp:forward:0")

    /// `nil` if an archive has removed the message and kept the item (XEP-0313 §3.2).
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
        // Several parts of a program look at a copy: who reads its carbon, and who stores it.
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
