public import DataForms

/// How a node behaves: the settings of its configuration form that programs set (XEP-0060 Publish-Subscribe §16.4.4).
///
/// What is `nil` is left as the service has it. The same settings go with an item as preconditions (§7.1.5).
public struct NodeConfiguration: Sendable, Equatable {
    /// Who may subscribe and read (§4.5).
    public enum AccessModel: String, Sendable, CaseIterable {
        case open, presence, roster, authorize, whitelist
    }

    /// How many items are kept.
    public enum ItemLimit: Sendable, Equatable {
        case count(Int)
        /// As many as the service can.
        case greatest
    }

    /// When the last item is sent without being asked for.
    public enum LastItem: String, Sendable, CaseIterable {
        case never
        case onSubscription = "on_sub"
        case onSubscriptionAndPresence = "on_sub_and_presence"
    }

    public var title: String?
    public var accessModel: AccessModel?
    /// The groups of the contact list that may read, with the access model `roster`.
    public var rosterGroups: [String]?
    public var keepsItems: Bool?
    public var itemLimit: ItemLimit?
    public var lastItem: LastItem?
    public var notifiesOfRetraction: Bool?
    public var notifiesOfDeletion: Bool?
    public var deliversPayloads: Bool?
    /// Fields without a property here, by their full name.
    public var others: [String: [String]] = [:]

    public init() {}

    /// For data that everybody may read (XEP-0222 Persistent Storage of Public Data via PubSub §2).
    public static var publicData: NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.keepsItems = true
        configuration.accessModel = .open
        return configuration
    }

    /// For data that only the own devices may read (XEP-0223 Persistent Storage of Private Data via PubSub §2).
    public static var privateData: NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.keepsItems = true
        configuration.accessModel = .whitelist
        return configuration
    }

    /// Private data of many items, each with an identifier of its own: all are kept, and none is sent again at each login.
    public static var privateList: NodeConfiguration {
        var configuration = privateData
        configuration.itemLimit = .greatest
        configuration.lastItem = .never
        return configuration
    }

    /// Reads a form of the service. Unknown values count as not given.
    public init(_ form: DataForm) {
        for field in form.fields {
            guard let name = field.name, name != "FORM_TYPE" else { continue }
            let value = field.values.first
            switch name {
            case "pubsub#title": title = value
            case "pubsub#access_model": accessModel = value.flatMap(AccessModel.init(rawValue:))
            case "pubsub#roster_groups_allowed": rosterGroups = field.values
            case "pubsub#persist_items": keepsItems = Self.boolean(value)
            case "pubsub#max_items":
                itemLimit = value == "max" ? .greatest : value.flatMap { Int($0) }.map(ItemLimit.count)
            case "pubsub#send_last_published_item": lastItem = value.flatMap(LastItem.init(rawValue:))
            case "pubsub#notify_retract": notifiesOfRetraction = Self.boolean(value)
            case "pubsub#notify_delete": notifiesOfDeletion = Self.boolean(value)
            case "pubsub#deliver_payloads": deliversPayloads = Self.boolean(value)
            default: others[name] = field.values
            }
        }
    }

    /// The fields that are set, by their full name.
    public var values: [String: [String]] {
        var values = others
        func set(_ name: String, _ value: String?) {
            if let value { values["pubsub#" + name] = [value] }
        }
        set("title", title)
        set("access_model", accessModel?.rawValue)
        if let rosterGroups { values["pubsub#roster_groups_allowed"] = rosterGroups }
        set("persist_items", keepsItems.map(String.init))
        switch itemLimit {
        case .count(let count)?: set("max_items", String(count))
        case .greatest?: set("max_items", "max")
        case nil: break
        }
        set("send_last_published_item", lastItem?.rawValue)
        set("notify_retract", notifiesOfRetraction.map(String.init))
        set("notify_delete", notifiesOfDeletion.map(String.init))
        set("deliver_payloads", deliversPayloads.map(String.init))
        return values
    }

    /// What decides who can read, and whether there will be something to read.
    var essentials: NodeConfiguration {
        var essentials = NodeConfiguration()
        essentials.accessModel = accessModel
        essentials.rosterGroups = rosterGroups
        essentials.keepsItems = keepsItems
        return essentials
    }

    /// The settings as a form to submit.
    func form(type: String) -> DataForm {
        let hidden = DataFormField(name: "FORM_TYPE", kind: .hidden, values: [type])
        let fields = values.sorted { $0.key < $1.key }.map { DataFormField(name: $0.key, values: $0.value) }
        return DataForm(kind: .submit, fields: [hidden] + fields)
    }

    /// A form of the service with these settings in it. Everything else is given back as it was, because services differ
    /// in whether a missing field means "unchanged" or "default".
    func filled(_ form: DataForm) -> DataForm {
        let values = values
        let fields = form.fields.compactMap { field -> DataFormField? in
            guard let name = field.name, field.kind != .fixed else { return nil }
            return DataFormField(name: name, kind: field.kind, values: values[name] ?? field.values)
        }
        return DataForm(kind: .submit, fields: fields)
    }

    private static func boolean(_ text: String?) -> Bool? {
        switch text {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }

    static let configurationType = "http://jabber.org/protocol/pubsub#node_config"
    static let optionsType = "http://jabber.org/protocol/pubsub#publish-options"
}
