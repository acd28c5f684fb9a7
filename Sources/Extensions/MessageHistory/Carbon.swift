internal import MessageFeatures
internal import MessageSemantics
internal import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// A copy of a message that another device of the own account has sent or received (XEP-0280 Message Carbons).
///
/// ```
/// S: <message from='romeo@montague.example' to='romeo@montague.example/home'>
///      <received xmlns='urn:xmpp:carbons:2'>
///        <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' …>…</message></forwarded>
///      </received>
///    </message>
/// ```
///
/// Only the own server makes copies, and they come from the bare address of the account: anything else is somebody who
/// wants to put words into the mouth of others (§11, CVE-2017-5589). The message inside must be one that this account has
/// sent or received.
public struct Carbon: Sendable, Equatable {
    /// The direction of the message.
    public enum Direction: Sendable, Hashable, CaseIterable {
        /// Another device has sent it.
        case sent
        /// Another device has received it.
        case received
    }

    static let namespace = "urn:xmpp:carbons:2"
    static let sent = XMLName("sent", namespace)
    static let received = XMLName("received", namespace)

    public let direction: Direction
    /// The original message.
    public let message: Message

    /// Parses the carbon in a message.
    ///
    /// - Parameters:
    ///   - message: the received message.
    ///   - account: the account's address; only its bare form counts.
    /// - Returns: `nil` if there is no carbon in it, or none that is trustworthy.
    public init?(in message: Message, for account: JID) {
        guard message.from == account.bare, message.type != .error else { return nil }
        guard let (direction, wrapper) = Self.wrapper(in: message),
            let forwarded = wrapper.firstChild(ForwardedMessage.name),
            let inner = try? ForwardedMessage(from: forwarded).message,
            ArchiveAuthority.carbonMayBring(inner, isSent: direction == .sent, account: account)
        else { return nil }
        self.direction = direction
        self.message = inner
    }

    /// Whether the message claims to contain a carbon, trustworthy or not.
    static func isClaimed(by message: Message) -> Bool { wrapper(in: message) != nil }

    private static func wrapper(in message: Message) -> (Direction, XMLElement)? {
        if let element = message.payloads.first(sent) { return (.sent, element) }
        if let element = message.payloads.first(received) { return (.received, element) }
        return nil
    }
}
