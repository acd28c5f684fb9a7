public import XMPPAddress

/// One sighting of a message: the same message is seen live, as a carbon, in the archive, after a resumption and as the
/// room's reflection, in any order, and becomes one row.
///
/// The caller has checked who may say what: that carbons come from the own account (XEP-0280 §11), archive results from the
/// archive asked (XEP-0313 §9) and about what that archive may speak of (`ArchiveAuthority`), and that `archiveReferences` and
/// `occupantID` hold only what was given by servers and rooms that announce `urn:xmpp:sid:0` (XEP-0359 §5) and
/// `urn:xmpp:occupant-id:0` (XEP-0421 §5).
public struct MessageCopy: Hashable, Sendable {
    /// By which way this copy came.
    public enum Route: Sendable {
        /// Sent to this device, now or kept for it while it was away.
        case live
        /// A copy of what another device of ours sent or received (XEP-0280).
        case carbon
        /// An answer of an archive (XEP-0313).
        case archive
        /// Our own message sent back by the room.
        case reflection
    }

    public var route: Route
    /// Who wrote it: the bare or full address in a direct conversation, the occupant's full address in a room, the
    /// room's bare address for what the room itself does.
    public var sender: JID
    /// The sender's lasting name in the room (XEP-0421).
    public var occupantID: String?
    /// The stay of the occupant during which it came, in a room that gives no occupant ids; nothing from an archive or a room's
    /// history has one.
    public var stay: OccupantStay?
    /// This account wrote it, on whichever device.
    public var isOutgoing: Bool
    /// The stanza's `id`.
    public var wireID: String?
    /// The sender's origin-id (XEP-0359 §3.2).
    public var originID: String?
    public var archiveReferences: [ArchiveReference]
    public var time: MessageTime
    public var timeSource: TimeSource
    /// When it came to this device, if ``time`` is what a server says: that counts where the server's word would put the message
    /// behind what was read, where it would not be seen.
    public var arrival: MessageTime?
    /// When its sender says that it was sent first, if this is not the first time (XEP-0198 §6, XEP-0203): the copies before
    /// may be lost, and what was said after it may be here.
    public var firstSent: MessageTime?
    public var content: MessageContent
    /// Of the stanza that brought this copy.
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
