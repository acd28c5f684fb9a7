/// What a new room shall be like, in the terms of a person.
public struct RoomSettings: Hashable, Sendable {
    /// Who may enter, and who finds it.
    public enum Access: Sendable, Hashable, CaseIterable {
        /// Whatever the service makes of a new room.
        case standard
        /// Only who is a member or was invited; it is in no list, and everybody sees who the others are.
        case membersOnly
        /// Everybody; it is in the list of the service.
        case everybody
    }

    /// What the room is called; nothing for what its address says.
    public var name: String
    public var access: Access

    public init(name: String = "", access: Access = .membersOnly) {
        self.name = name
        self.access = access
    }

    /// The fields of the owner's form (XEP-0045 §10.1.3, §15.5.3); those that a service does not have are left out.
    var fields: [String: [String]] {
        var fields: [String: [String]] = [:]
        func set(_ name: String, _ value: String) { fields["muc#roomconfig_" + name] = [value] }
        if !name.isEmpty { set("roomname", name) }
        switch access {
        case .standard: break
        case .membersOnly:
            set("persistentroom", "1")
            set("membersonly", "1")
            set("publicroom", "0")
            set("whois", "anyone")
            set("allowinvites", "1")
        case .everybody:
            set("persistentroom", "1")
            set("membersonly", "0")
            set("publicroom", "1")
        }
        return fields
    }
}
