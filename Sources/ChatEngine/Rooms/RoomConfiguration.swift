internal import DataForms
internal import GroupChat
public import XMPPAddress

/// The settings of a room that its owners can change (XEP-0045 §10.2, §15.5.3). A property is `nil` if the service does not
/// offer it.
public struct RoomConfiguration: Hashable, Sendable {
    public var name: String?
    public var description: String?
    /// Only members and invited users may join.
    public var isForMembersOnly: Bool?
    /// The service lists the room.
    public var isListed: Bool?
    /// Empty for a room without a password.
    public var password: String?
    /// Only occupants with voice may write.
    public var isModerated: Bool?
    /// All occupants may change the subject.
    public var allowsSubjectChange: Bool?
    /// Members may invite others.
    public var allowsInvitations: Bool?

    public init() {}

    private static let prefix = "muc#roomconfig_"

    init(_ form: DataForm) {
        func text(_ name: String) -> String? { form[Self.prefix + name].map { $0.values.first ?? "" } }
        func flag(_ name: String) -> Bool? { text(name).map { $0 == "1" || $0 == "true" } }
        name = text("roomname")
        description = text("roomdesc")
        isForMembersOnly = flag("membersonly")
        isListed = flag("publicroom")
        password = flag("passwordprotectedroom") == false ? text("roomsecret").map { _ in "" } : text("roomsecret")
        isModerated = flag("moderatedroom")
        allowsSubjectChange = flag("changesubject")
        allowsInvitations = flag("allowinvites")
    }

    /// The fields that differ from those of another configuration.
    func fields(besides other: RoomConfiguration) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        func set(_ name: String, _ path: KeyPath<RoomConfiguration, String?>) {
            if let value = self[keyPath: path], value != other[keyPath: path] { fields[Self.prefix + name] = [value] }
        }
        func set(_ name: String, _ path: KeyPath<RoomConfiguration, Bool?>) {
            if let value = self[keyPath: path], value != other[keyPath: path] {
                fields[Self.prefix + name] = [value ? "1" : "0"]
            }
        }
        set("roomname", \.name)
        set("roomdesc", \.description)
        set("membersonly", \.isForMembersOnly)
        set("publicroom", \.isListed)
        set("moderatedroom", \.isModerated)
        set("changesubject", \.allowsSubjectChange)
        set("allowinvites", \.allowsInvitations)
        if let password, password != other.password {
            fields[Self.prefix + "passwordprotectedroom"] = [password.isEmpty ? "0" : "1"]
            fields[Self.prefix + "roomsecret"] = [password]
        }
        return fields
    }
}

/// An account with a standing in a room, present or not (XEP-0045 §9.5).
public struct RoomAffiliate: Hashable, Sendable, Identifiable {
    public enum Standing: Int, Hashable, Sendable, CaseIterable {
        case owner, admin, member, banned
    }

    public let address: JID
    public let standing: Standing
    /// Why the account was banned.
    public let reason: String?

    public var id: JID { address }

    public init(address: JID, standing: Standing, reason: String? = nil) {
        self.address = address.bare
        self.standing = standing
        self.reason = reason
    }
}
