public import DataForms
public import MessagePayloads
public import XMLStreaming
public import XMPPStanzas

/// Who may mention whom in a room (XEP-0513 Explicit Mentions §5).
public struct MentionPermissions: Sendable, Equatable {
    /// The role that an occupant needs.
    public enum Audience: String, Sendable, Hashable, CaseIterable {
        case participants, moderators
        case nobody = "none"

        /// Whether an occupant with that role has the permission.
        public func includes(_ role: RoomRole) -> Bool {
            switch self {
            case .participants: role >= .participant
            case .moderators: role == .moderator
            case .nobody: false
            }
        }
    }

    /// The maximum number of mentions in a message; in a message with more, all are ignored.
    public var count: Int?
    /// By the kind: `individual`, `channel`, `space`, `server`, `associations`, `hats`.
    public var audiences: [String: Audience]

    public init(count: Int? = nil, audiences: [String: Audience] = [:]) {
        self.count = count
        self.audiences = audiences
    }

    /// Reads the form of a room; `nil` if it has no such fields. Unknown values are ignored.
    public init?(_ form: DataForm) {
        self.init()
        for field in form.fields {
            guard let name = field.name, name.hasPrefix(Self.prefix), let value = field.values.first else { continue }
            let kind = String(name.dropFirst(Self.prefix.count))
            if kind == "count" { count = Int(value).flatMap { $0 >= 0 ? $0 : nil } }
            if Self.kinds.contains(kind) { audiences[kind] = Audience(rawValue: value) }
        }
        if count == nil, audiences.isEmpty { return nil }
    }

    /// The mentions of a message that count.
    ///
    /// - Parameter role: that of the sender in the room; `nil` if it is not known, which permits what has no rule.
    public func permitted(_ mentions: [ExplicitMention], from role: RoomRole?) -> [ExplicitMention] {
        if let count, mentions.count > count { return [] }
        return mentions.filter { mention in
            guard let audience = audiences[Self.kind(of: mention)] else { return true }
            return role.map(audience.includes) ?? false
        }
    }

    /// The settings as values for the form of the room, by the names of the fields.
    var values: [String: [String]] {
        var values = Dictionary(uniqueKeysWithValues: audiences.map { (Self.prefix + $0.key, [$0.value.rawValue]) })
        if let count { values[Self.prefix + "count"] = [String(count)] }
        return values
    }

    private static func kind(of mention: ExplicitMention) -> String {
        guard case .group(let group, _) = mention.target else { return "individual" }
        let kind = group.rawValue.hasPrefix(groups) ? String(group.rawValue.dropFirst(groups.count)) : ""
        return kinds.contains(kind) ? kind : "associations"
    }

    private static let prefix = "mentions#"
    private static let groups = ExplicitMention.name.namespace + "#"
    private static let kinds: Set<String> = ["individual", "channel", "space", "server", "associations", "hats"]
}

/// Requests from a room who may mention whom, or changes it as its owner (XEP-0513 Explicit Mentions §5).
public struct MentionPermissionsRequest: IQRequest, EmptyPayload, Equatable {
    public static let name = XMLName("query", ExplicitMention.name.namespace)

    /// The form with the current values.
    public struct Response: IQResponse, Equatable {
        public var form: DataForm

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            guard let form = try payload?.decode(DataForm.self) else {
                throw XMLDecodingError(MentionPermissionsRequest.name, .missingElement(DataForm.name))
            }
            self.form = form
        }
    }

    public init() {}
}

/// Changes who may mention whom in a room, as its owner (XEP-0513 Explicit Mentions §5).
public struct MentionPermissionsChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = MentionPermissionsRequest.name
    public static let iqType = IQ.Kind.set

    public var form: DataForm

    public init(_ form: DataForm) {
        self.form = form
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        form = try DataForm(from: try element.required(DataForm.name))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name) { form.encode(to: &$0) }
    }
}

extension Room {
    /// Who may mention whom, if the room has rules for it.
    public func mentionPermissions() async throws(GroupChatError) -> MentionPermissions? {
        MentionPermissions(try await request(MentionPermissionsRequest()).form)
    }

    /// Changes who may mention whom, as an owner. Settings that are not given stay.
    public func configure(_ permissions: MentionPermissions) async throws(GroupChatError) {
        let form = try await request(MentionPermissionsRequest()).form
        _ = try await request(MentionPermissionsChange(form.submission(changing: permissions.values)))
    }
}
