internal import MessagePayloads
public import XMPPAddress
public import XMPPStanzas

/// The identifiers of one message, and which of them other messages use to speak of it (XEP-0359 Unique and Stable
/// Stanza IDs).
///
/// | | between two | in a room |
/// | --- | --- | --- |
/// | correction (XEP-0308), receipt (XEP-0184) | `id` | `id` |
/// | displayed marker (XEP-0333) | `id` | the room's; `id` if the room assigns none |
/// | retraction (XEP-0424) | `id` | the room's; `origin-id` if the room assigns none |
/// | reaction (XEP-0444), reply (XEP-0461) | `origin-id`, otherwise `id` | the room's |
public struct MessageIdentity: Sendable, Hashable {
    /// What another message wants with this one.
    public enum Purpose: Sendable, Hashable, CaseIterable {
        case correction, receipt, displayedMarker, retraction, reaction, reply
    }

    /// Whether it was said in a room, where everybody can use everybody's `id`.
    public var isInRoom: Bool
    /// The `id` of the stanza, chosen by the sender.
    public var stanzaID: String?
    /// Chosen by the sender too, but not changed by anybody on the way.
    public var originID: String?
    /// Assigned by the archive or the room.
    public var archiveID: String?

    public init(isInRoom: Bool, stanzaID: String?, originID: String? = nil, archiveID: String? = nil) {
        self.isInRoom = isInRoom
        self.stanzaID = stanzaID
        self.originID = originID
        self.archiveID = archiveID
    }

    /// - Parameter assigner: Whose `stanza-id` is believed: the own account for messages between two, the room for the
    ///   others, and only if it announces `urn:xmpp:sid:0` (XEP-0359 §6); `nil` believes none. The message must have come
    ///   from the room or by way of the own server.
    public init(_ message: Message, assignedBy assigner: JID?) {
        isInRoom = message.type == .groupchat
        stanzaID = message.id
        originID = ((try? message.payload(OriginIdentifier.self)) ?? nil)?.id
        archiveID = assigner.flatMap { message.archiveID(assignedBy: $0) }
    }

    /// The identifier to put into a message with that purpose; `nil` if the specification allows none.
    public func identifier(for purpose: Purpose) -> String? {
        switch purpose {
        case .correction, .receipt: stanzaID
        case .displayedMarker: isInRoom ? archiveID ?? stanzaID : stanzaID
        case .retraction: isInRoom ? archiveID ?? originID : stanzaID
        case .reaction, .reply: isInRoom ? archiveID : originID ?? stanzaID
        }
    }

    /// Whether a received message with that purpose speaks of this one.
    ///
    /// Between two both of the sender's identifiers are understood, because programs differ; in a room only the right
    /// one, because anybody can send a message with the `id` of another.
    package func isMeant(by identifier: String, for purpose: Purpose) -> Bool {
        if identifier == self.identifier(for: purpose) { return true }
        guard !isInRoom, purpose != .correction, purpose != .receipt else { return false }
        return identifier == stanzaID || identifier == originID
    }
}

extension Message {
    /// The identifier that this archive assigned; `nil` if there is none, or two that differ: then one is forged.
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

/// Which copies are copies of one message, beside the identifiers.
extension MessageOrigin {
    /// Whether two messages with the same identifiers can be copies of one message. That is less than the same author: from an
    /// archive without occupant ids there is nothing but the address to compare.
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

/// The name that an archive gave to a message (XEP-0359 §3.1); it means nothing without the archive that gave it.
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

/// How a correction, reaction, retraction, reply, receipt or marker names the message it is about.
public enum TargetReference: Hashable, Sendable, Codable {
    /// By the `id` or origin-id that its sender chose; unique only together with its sender.
    case sent(id: String)
    /// By the name that an archive gave to it, as in rooms (XEP-0444 §4, XEP-0424 §3).
    case archived(ArchiveReference)
}

extension TargetReference {
    /// The name by which the protocol refers to the message.
    public var id: String {
        switch self {
        case .sent(let id): id
        case .archived(let reference): reference.id
        }
    }
}
