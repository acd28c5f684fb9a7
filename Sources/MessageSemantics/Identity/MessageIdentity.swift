internal import MessagePayloads
public import XMPPAddress
public import XMPPStanzas

/// The identifiers of one message, and which of them other messages use to refer to it (XEP-0359 Unique and Stable
/// Stanza IDs).
///
/// | | between two | in a room |
/// | --- | --- | --- |
/// | correction (XEP-0308), receipt (XEP-0184) | `id` | `id` |
/// | displayed marker (XEP-0333) | `id` | the room's; `id` if the room assigns none |
/// | retraction (XEP-0424) | `id` | the room's; `origin-id` if the room assigns none |
/// | reaction (XEP-0444), reply (XEP-0461) | `origin-id`, otherwise `id` | the room's |
public struct MessageIdentity: Sendable, Hashable {
    /// The purpose for which another message refers to this one.
    public enum Purpose: Sendable, Hashable, CaseIterable {
        case correction, receipt, displayedMarker, retraction, reaction, reply
    }

    /// Whether the message was sent in a room, where any occupant can reuse the `id` of another.
    public var isInRoom: Bool
    /// The `id` of the stanza, chosen by the sender.
    public var stanzaID: String?
    /// Also chosen by the sender, but never changed on the way.
    public var originID: String?
    /// Assigned by the archive or the room.
    public var archiveID: String?

    public init(isInRoom: Bool, stanzaID: String?, originID: String? = nil, archiveID: String? = nil) {
        self.isInRoom = isInRoom
        self.stanzaID = stanzaID
        self.originID = originID
        self.archiveID = archiveID
    }

    /// - Parameter assigner: The entity whose `stanza-id` is trusted: our account for one-to-one messages, the room for
    ///   the others, and only if it announces `urn:xmpp:sid:0` (XEP-0359 §6); `nil` trusts none. The message must have
    ///   come from the room or through our server.
    public init(_ message: Message, assignedBy assigner: JID?) {
        isInRoom = message.type == .groupchat
        stanzaID = message.id
        originID = ((try? message.payload(OriginIdentifier.self)) ?? nil)?.id
        archiveID = assigner.flatMap { message.archiveID(assignedBy: $0) }
    }

    /// The identifier to use in a message with this purpose; `nil` if the specification allows none.
    public func identifier(for purpose: Purpose) -> String? {
        switch purpose {
        case .correction, .receipt: stanzaID
        case .displayedMarker: isInRoom ? archiveID ?? stanzaID : stanzaID
        case .retraction: isInRoom ? archiveID ?? originID : stanzaID
        case .reaction, .reply: isInRoom ? archiveID : originID ?? stanzaID
        }
    }

    /// Whether a received message with this purpose and identifier refers to this message.
    ///
    /// In one-to-one conversations, both identifiers of the sender are accepted, because clients differ. In a room,
    /// only the correct one is, because any occupant can send a message with the `id` of another.
    package func isMeant(by identifier: String, for purpose: Purpose) -> Bool {
        if identifier == self.identifier(for: purpose) { return true }
        guard !isInRoom, purpose != .correction, purpose != .receipt else { return false }
        return identifier == stanzaID || identifier == originID
    }
}

extension Message {
    /// The identifier that this archive assigned; `nil` if there is none, or if there are two different ones, of which
    /// one is forged.
    public func archiveID(assignedBy assigner: JID) -> String? {
        var found: String?
        for payload in payloads where payload.isNamed(StanzaIdentifier.name) {
            guard let identifier = try? StanzaIdentifier(from: payload), identifier.by == assigner else { continue }
            if let found, found != identifier.id { return nil }
            found = identifier.id
        }
        return found
    }
}

/// Rules besides the identifiers about which copies belong to the same message.
extension MessageOrigin {
    /// Whether two messages with the same identifiers can be copies of one message. This is weaker than having the same
    /// author: for messages from an archive without occupant ids, only the address can be compared.
    public func canBeCopy(of other: MessageOrigin) -> Bool {
        switch kind {
        case .direct:
            return sender.bare == other.sender.bare
        case .room:
            if isOutgoing && other.isOutgoing { return true }
            if let one = occupantID, let two = other.occupantID { return one == two }
            return sender == other.sender
        case .occupant:
            return isOutgoing == other.isOutgoing && (isOutgoing || sender == other.sender)
        }
    }
}

/// The id that an archive assigned to a message (XEP-0359 §3.1); it is meaningless without the archive.
///
///     S: <stanza-id xmlns='urn:xmpp:sid:0' id='28482-98726-73623' by='juliet@capulet.example'/>
public struct ArchiveReference: Hashable, Sendable, Codable {
    /// The archive's address: the account's own, or the room's.
    public let archive: JID
    public let id: String

    public init(archive: JID, id: String) {
        self.archive = archive
        self.id = id
    }
}

/// How a correction, reaction, retraction, reply, receipt or marker refers to its target message.
public enum TargetReference: Hashable, Sendable, Codable {
    /// By the `id` or origin-id that the sender chose; unique only together with the sender.
    case sent(id: String)
    /// By the id that an archive assigned, as in rooms (XEP-0444 §4, XEP-0424 §3).
    case archived(ArchiveReference)
}

extension TargetReference {
    /// The identifier by which the protocol refers to the message.
    public var id: String {
        switch self {
        case .sent(let id): id
        case .archived(let reference): reference.id
        }
    }
}
