public import XMPPAddress

/// One received copy of a message. The same message arrives live, as a carbon, from the archive, after a resumption and
/// as the reflection of a room, in any order, and becomes one row.
///
/// The caller has verified the source: carbons come from our account (XEP-0280 §11), archive results come from the
/// archive that was queried (XEP-0313 §9) and contain only messages that it may contain (`ArchiveAuthority`), and
/// `archiveReferences` and `occupantID` contain only ids assigned by servers and rooms that announce `urn:xmpp:sid:0`
/// (XEP-0359 §5) and `urn:xmpp:occupant-id:0` (XEP-0421 §5).
public struct MessageCopy: Hashable, Sendable {
    /// The route on which this copy arrived.
    public enum Route: Sendable {
        /// Sent to this device, immediately or after the server had stored it while the device was offline.
        case live
        /// A copy of a message that another device of this account sent or received (XEP-0280).
        case carbon
        /// A result of an archive query (XEP-0313).
        case archive
        /// Our own message, reflected by the room.
        case reflection
    }

    public var route: Route
    /// The author: the bare or full address in a direct conversation, the full address of the occupant in a room, and
    /// the bare address of the room for actions of the room itself.
    public var sender: JID
    /// The sender's occupant id (XEP-0421).
    public var occupantID: String?
    /// The stay of the occupant during which it arrived, in a room without occupant ids; `nil` for messages from an
    /// archive or from the history of a room.
    public var stay: OccupantStay?
    /// Whether this account wrote it, on any device.
    public var isOutgoing: Bool
    /// The stanza's `id`.
    public var wireID: String?
    /// The sender's origin-id (XEP-0359 §3.2).
    public var originID: String?
    public var archiveReferences: [ArchiveReference]
    public var time: MessageTime
    public var timeSource: TimeSource
    /// When it arrived at this device, if ``time`` was stated by a server. It is used if the stated time would place
    /// the message before those already read, where the user would not see it.
    public var arrival: MessageTime?
    /// The time at which it was sent for the first time according to the sender, if it was sent again (XEP-0198 §6,
    /// XEP-0203): the earlier copies may be lost, and later messages may have arrived already.
    public var firstSent: MessageTime?
    public var content: MessageContent
    /// The protection of the stanza that contained this copy.
    public var protection: MessageProtection

    public init(
        route: Route, sender: JID, occupantID: String? = nil, stay: OccupantStay? = nil, isOutgoing: Bool = false,
        wireID: String? = nil,
        originID: String? = nil, archiveReferences: [ArchiveReference] = [], time: MessageTime,
        timeSource: TimeSource = .clock, arrival: MessageTime? = nil, firstSent: MessageTime? = nil,
        content: MessageContent, protection: MessageProtection = .none
    ) {
        self.route = route
        self.sender = sender
        self.occupantID = occupantID
        self.stay = stay
        self.isOutgoing = isOutgoing
        self.wireID = wireID
        self.originID = originID
        self.archiveReferences = archiveReferences
        self.time = time
        self.timeSource = timeSource
        self.arrival = arrival
        self.firstSent = firstSent
        self.content = content
        self.protection = protection
    }
}
