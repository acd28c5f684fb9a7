import DataForms
public import MessageFeatures
public import XMPPAddress

/// Which messages of an archive to return (XEP-0313 Message Archive Management §4.1).
///
/// Without conditions, all messages are returned.
public struct ArchiveFilter: Sendable, Hashable {
    /// Only messages to or from this address; in the archive of a room, only those from it. A bare address includes all
    /// its resources; our own address selects messages to ourselves.
    public var with: JID?
    /// Only messages from this time on.
    public var start: Timestamp?
    /// Only messages up to this time.
    public var end: Timestamp?
    /// Only messages before the one with this id. Requires an extended archive.
    public var beforeID: String?
    /// Only messages after the one with this id. Requires an extended archive.
    public var afterID: String?
    /// Only these messages; if one of them is missing, the whole query fails. Requires an extended archive.
    public var ids: [String]
    /// Whether the account's archive returns messages of rooms; `nil` leaves it to the server, which must announce
    /// `urn:xmpp:mam:2#groupchat-field` for any other value (§4.1.4).
    public var includesGroupChat: Bool?
    /// Additional conditions that the server announced (``ArchiveFormRequest``).
    public var otherFields: [String: [String]]

    public init(
        with: JID? = nil, start: Timestamp? = nil, end: Timestamp? = nil, beforeID: String? = nil,
        afterID: String? = nil, ids: [String] = [], includesGroupChat: Bool? = nil,
        otherFields: [String: [String]] = [:]
    ) {
        self.with = with
        self.start = start
        self.end = end
        self.beforeID = beforeID
        self.afterID = afterID
        self.ids = ids
        self.includesGroupChat = includesGroupChat
        self.otherFields = otherFields
    }

    /// Whether it contains conditions that require `urn:xmpp:mam:2#extended`.
    public var needsExtendedArchive: Bool { beforeID != nil || afterID != nil || !ids.isEmpty }

    /// Whether it refers to messages that may have been removed.
    var namesMessages: Bool { needsExtendedArchive }

    /// The form to send; `nil` without conditions.
    var form: DataForm? {
        var fields: [DataFormField] = []
        func add(_ name: String, _ value: String?) {
            if let value { fields.append(DataFormField(name: name, values: [value])) }
        }
        add("with", with?.description)
        add("start", start?.description)
        add("end", end?.description)
        add("before-id", beforeID)
        add("after-id", afterID)
        if !ids.isEmpty { fields.append(DataFormField(name: "ids", values: ids)) }
        add("include-groupchat", includesGroupChat.map(String.init))
        for (name, values) in otherFields.sorted(by: { $0.key < $1.key }) {
            fields.append(DataFormField(name: name, values: values))
        }
        guard !fields.isEmpty else { return nil }
        let type = DataFormField(name: "FORM_TYPE", kind: .hidden, values: [ArchiveQuery.name.namespace])
        return DataForm(kind: .submit, fields: [type] + fields)
    }

    /// Reads a form that was sent.
    init(_ form: DataForm) {
        self.init()
        for field in form.fields {
            let value = field.values.first
            switch field.name {
            case nil, "FORM_TYPE": break
            case "with": with = value.flatMap { try? JID($0) }
            case "start": start = value.flatMap { Timestamp($0) }
            case "end": end = value.flatMap { Timestamp($0) }
            case "before-id": beforeID = value
            case "after-id": afterID = value
            case "ids": ids = field.values
            case "include-groupchat": includesGroupChat = field.isTrue
            case let name?: otherFields[name] = field.values
            }
        }
    }
}
