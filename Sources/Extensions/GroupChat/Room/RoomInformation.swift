internal import DataForms
internal import MessagePayloads
public import ServiceDiscovery
public import XMPPAddress

/// What a room says about itself before one enters (XEP-0045 Multi-User Chat §6.4).
public struct RoomInformation: Sendable, Equatable {
    public var name: String?
    public var description: String?
    public var subject: String?
    public var occupantCount: Int?
    public var language: String?
    public var contacts: [JID] = []
    /// Everything it announces.
    public var features: Set<String>

    public init(features: Set<String> = [], name: String? = nil) {
        self.features = features
        self.name = name
    }

    /// Reads the answer to a question for `disco#info`.
    public init(_ information: DiscoveryInformation) {
        let identity = information.identities.first { $0.category == "conference" }
        self.init(features: information.features, name: identity?.name)
        guard let form = information.forms.first(where: { $0.formType == RoomNames.information }) else { return }
        func text(_ field: String) -> String? {
            form["muc#roominfo_" + field]?.values.first.flatMap { $0.isEmpty ? nil : $0 }
        }
        description = text("description")
        subject = text("subject")
        occupantCount = text("occupants").flatMap { Int($0) }
        language = text("lang")
        contacts = form["muc#roominfo_contactjid"]?.values.compactMap { try? JID($0) } ?? []
        if name == nil || name == "" { name = form["muc#roomconfig_roomname"]?.values.first }
    }

    public var isRoom: Bool { features.contains(RoomNames.entrance) }
    public var needsPassword: Bool { features.contains("muc_passwordprotected") }
    public var isForMembersOnly: Bool { features.contains("muc_membersonly") }
    public var isHidden: Bool { features.contains("muc_hidden") }
    public var isModerated: Bool { features.contains("muc_moderated") }
    /// Whether everybody sees real addresses; otherwise moderators only.
    public var isNonAnonymous: Bool { features.contains("muc_nonanonymous") }
    /// Whether the room keeps an archive of what was said.
    public var hasArchive: Bool { features.contains("urn:xmpp:mam:2") }
    /// Whether occupants have identifiers to believe (XEP-0421 §3).
    public var hasOccupantIdentifiers: Bool { features.contains(OccupantIdentifier.name.namespace) }
    /// Whether the room says which hats people wear (XEP-0317).
    public var hasHats: Bool { features.contains(RoomHats.name.namespace) }
    /// Whether moderators can take messages of others back (XEP-0425 §2), in whatever form.
    public var hasModeration: Bool { features.contains(ModerationRequest.name.namespace) || hasEarlierModerationOnly }
    var hasEarlierModerationOnly: Bool {
        features.contains(EarlierModerationRequest.feature) && !features.contains(ModerationRequest.name.namespace)
    }
    /// Whether identifiers of the archive are the room's own (XEP-0359 §6).
    public var hasStanzaIdentifiers: Bool { features.contains("urn:xmpp:sid:0") || hasArchive }
}
