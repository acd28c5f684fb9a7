internal import MessageFeatures
internal import MessageSemantics
internal import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// A copy of a message that another device of the account sent or received (XEP-0280 Message Carbons).
///
/// ```
/// S: <message from='romeo@montague.example' to='romeo@montague.example/home'>
///      <received xmlns='urn:xmpp:carbons:2'>
///        <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' …>…</message></forwarded>
///      </received>
///    </message>
/// ```
///
/// Only the server of the account sends carbons, and they come from the account's bare address. Any other sender is
/// trying to forge messages of others (§11, CVE-2017-5589). The message inside must be one that this account sent or
/// received.
public struct Carbon: Sendable, Equatable {
    /// The direction of the message.
    public enum Direction: Sendable, Hashable, CaseIterable {
        /// Another device sent it.
        case sent
        /// Another device received it.
        case received
    }

    static let namespace = "urn:xmpp:carbons:2"

    public let direction: Direction
    /// The original message.
    public let message: Message

    /// Parses the carbon in a message.
    ///
    /// - Parameters:
    ///   - message: the received message.
    ///   - account: the address of the account; only its bare form is used.
    /// - Returns: `nil` if there is no carbon in the message, or only a forged one.
    public init?(in message: Message, for account: JID) {
        guard message.from == account.bare, message.type != .error else { return nil }
        let (direction, forwarded): (Direction, ForwardedMessage)
        if message.payloads.contains(SentCopy.name) {
            guard let copy = (try? message.payload(SentCopy.self)) ?? nil else { return nil }
            (direction, forwarded) = (.sent, copy.forwarded)
        } else {
            guard let copy = (try? message.payload(ReceivedCopy.self)) ?? nil else { return nil }
            (direction, forwarded) = (.received, copy.forwarded)
        }
        guard let inner = forwarded.message,
            ArchiveAuthority.carbonMayBring(inner, isSent: direction == .sent, account: account)
        else { return nil }
        self.direction = direction
        self.message = inner
    }

    /// Whether the message contains a carbon, genuine or forged.
    static func isClaimed(by message: Message) -> Bool {
        message.payloads.contains(SentCopy.name) || message.payloads.contains(ReceivedCopy.name)
    }

    /// A message sent by another device, as contained in the carbon.
    private struct SentCopy: MessagePayload {
        static let name = XMLName("sent", namespace)

        let forwarded: ForwardedMessage

        init(from element: XMLElement) throws(XMLDecodingError) {
            forwarded = try ForwardedMessage(from: element.required(ForwardedMessage.name))
        }

        func encode(to writer: inout XMLWriter) { Carbon.write(forwarded, as: Self.name, to: &writer) }
    }

    /// A message received by another device, as contained in the carbon.
    private struct ReceivedCopy: MessagePayload {
        static let name = XMLName("received", namespace)

        let forwarded: ForwardedMessage

        init(from element: XMLElement) throws(XMLDecodingError) {
            forwarded = try ForwardedMessage(from: element.required(ForwardedMessage.name))
        }

        func encode(to writer: inout XMLWriter) { Carbon.write(forwarded, as: Self.name, to: &writer) }
    }

    private static func write(_ forwarded: ForwardedMessage, as name: XMLName, to writer: inout XMLWriter) {
        writer.start(name)
        forwarded.encode(to: &writer)
        writer.end()
    }
}
