internal import XMLStreaming
public import XMPPAddress

/// The role and affiliation of a user in a room, as stated by the room or requested by an administrator (XEP-0045
/// Multi-User Chat §17.2, §17.3).
///
/// ```
/// <item affiliation='member' jid='hag66@shakespeare.lit/pda' role='participant'/>
/// ```
public struct RoomItem: Sendable, Hashable {
    public var affiliation: RoomAffiliation?
    public var role: RoomRole?
    /// The real address, if the room reveals it.
    public var address: JID?
    public var nickname: String?
    /// The moderator or administrator who did it, by nickname or address.
    public var actorNickname: String?
    public var actor: JID?
    public var reason: String?

    public init(
        affiliation: RoomAffiliation? = nil, role: RoomRole? = nil, address: JID? = nil, nickname: String? = nil,
        actorNickname: String? = nil, actor: JID? = nil, reason: String? = nil
    ) {
        self.affiliation = affiliation
        self.role = role
        self.address = address
        self.nickname = nickname
        self.actorNickname = actorNickname
        self.actor = actor
        self.reason = reason
    }

    /// Unknown roles and affiliations throw: guessing could grant rights.
    init(reading element: XMLElement) throws(XMLDecodingError) {
        let namespace = element.namespace
        affiliation = try element.value("affiliation", as: RoomAffiliation.self)
        role = try element.value("role", as: RoomRole.self)
        address = element["jid"].flatMap { try? JID($0) }
        nickname = element["nick"]
        if let child = element.firstChild(XMLName("actor", namespace)) {
            actorNickname = child["nick"]
            actor = child["jid"].flatMap { try? JID($0) }
        }
        reason = element.firstChild(XMLName("reason", namespace))?.text
    }

    func encode(to writer: inout XMLWriter, namespace: String) {
        writer.start(XMLName("item", namespace))
        writer.attribute("affiliation", affiliation?.rawValue)
        writer.attribute("jid", address?.description)
        writer.attribute("nick", nickname)
        writer.attribute("role", role?.rawValue)
        if actorNickname != nil || actor != nil {
            writer.start(XMLName("actor", namespace))
            writer.attribute("jid", actor?.description)
            writer.attribute("nick", actorNickname)
            writer.end()
        }
        if let reason { writer.element(XMLName("reason", namespace), text: reason) }
        writer.end()
    }
}

/// The role of an occupant while in the room (XEP-0045 Multi-User Chat §5.1), in ascending order of rights.
public enum RoomRole: String, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Not in the room.
    case none
    /// Without voice in a moderated room.
    case visitor
    case participant
    /// Grants and revokes voice, and removes others.
    case moderator

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: RoomRole, right: RoomRole) -> Bool { left.rank < right.rank }
}

/// The permanent relation of an account to a room (XEP-0045 Multi-User Chat §5.2), in ascending order of rights.
public enum RoomAffiliation: String, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Banned.
    case outcast
    case none
    /// May join a members-only room.
    case member
    case admin
    case owner

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: RoomAffiliation, right: RoomAffiliation) -> Bool { left.rank < right.rank }
}
