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
    /// Which way the message went.
    public enum Direction: Sendable, Hashable, CaseIterable {
        /// Another device sent it.
        case sent
        /// It was meant for another device.
        case received
    }

    static let namespace = "urn:xmpp:carbons:2"
    static let sent = XMLName("sent", namespace)
    static let received = XMLName("received", namespace)

    public let direction: Direction
    /// The message as it was.
    public let message: Message

    /// The copy in a message.
    ///
    /// - Parameters:
    ///   - message: The message that was received.
    ///   - account: The own address; only its bare form counts.
    /// - Returns: `nil` if there is no copy in it, or none that may be believed.
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

    /// Whether the message says that it brings a copy, true or not.
    static func isClaimed(by message: Message) -> Bool { wrapper(in: message) != nil }

    private static func wrapper(in message: Message) -> (Direction, XMLElement)? {
        if let element = message.payloads.first(sent) { return (.sent, element) }
        if let element = message.payloads.first(received) { return (.received, element) }
        return nil
    }
}
