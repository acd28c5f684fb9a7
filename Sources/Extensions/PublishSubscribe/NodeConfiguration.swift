public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// The configuration of a node: the settings of its form that programs change (XEP-0060 Publish-Subscribe §16.4.4).
///
/// A `nil` setting keeps the value of the service. The same settings can be sent with an item as preconditions
/// (§7.1.5).
public struct NodeConfiguration: Sendable, Equatable {
    /// Who may subscribe and read (§4.5).
    public enum AccessModel: String, Sendable, CaseIterable {
        case open, presence, roster, authorize, whitelist
    }

    /// The maximum number of stored items.
    public enum ItemLimit: Sendable, Equatable {
        case count(Int)
        /// The maximum that the service supports.
        case greatest
    }

    /// When the last item is sent automatically.
    public enum LastItem: String, Sendable, CaseIterable {
        case never
        case onSubscription = "on_sub"
        case onSubscriptionAndPresence = "on_sub_and_presence"
    }

    public var title: String?
    public var accessModel: AccessModel?
    /// The groups of the contact list that may read the node, with the access model `roster`.
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

    /// For data that everyone may read (XEP-0222 Persistent Storage of Public Data via PubSub §2).
    public static var publicData: NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.keepsItems = true
        configuration.accessModel = .open
        return configuration
    }

    /// For data that only our devices may read (XEP-0223 Persistent Storage of Private Data via PubSub §2).
    public static var privateData: NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.keepsItems = true
        configuration.accessModel = .whitelist
        return configuration
    }

    /// Private data in many items, each with its own identifier: all are stored, and none is sent again at login.
    public static var privateList: NodeConfiguration {
        var configuration = privateData
        configuration.itemLimit = .greatest
        configuration.lastItem = .never
        return configuration
    }

    /// Reads a form of the service. Unknown values are ignored.
    public init(_ form: DataForm) {
        for field in form.fields {
            guard let name = field.name, name != "FORM_TYPE" else { continue }
            let value = field.values.first
            switch name {
            case "pubsub#title": title = value
            case "pubsub#access_model": accessModel = value.flatMap(AccessModel.init(rawValue:))
            case "pubsub#roster_groups_allowed": rosterGroups = field.values
            case "pubsub#persist_items": keepsItems = field.isTrue
            case "pubsub#max_items":
                itemLimit = value == "max" ? .greatest : value.flatMap { Int($0) }.map(ItemLimit.count)
            case "pubsub#send_last_published_item": lastItem = value.flatMap(LastItem.init(rawValue:))
            case "pubsub#notify_retract": notifiesOfRetraction = field.isTrue
            case "pubsub#notify_delete": notifiesOfDeletion = field.isTrue
            case "pubsub#deliver_payloads": deliversPayloads = field.isTrue
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

    /// The settings that decide who can read the node and whether its items are stored.
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

    static let configurationType = "http://jabber.org/protocol/pubsub#node_config"
    static let optionsType = "http://jabber.org/protocol/pubsub#publish-options"
}

/// Requests the configuration of a node as its owner (XEP-0060 Publish-Subscribe §8.2). Without a node: the default
/// configuration of a new one (§8.3).
public struct NodeConfigurationRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.ownerRequest

    /// The form with the current values.
    public struct Response: IQResponse, Equatable {
        public var form: DataForm

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            guard let payload else {
                throw XMLDecodingError(IQ.name, .missingElement(PublishSubscribeNames.ownerRequest))
            }
            let holder =
                payload.firstChild(PublishSubscribeNames.ownerConfigure)
                ?? payload.firstChild(NodeConfigurationRequest.defaultName)
            guard let form = try holder?.decode(DataForm.self) else {
                throw XMLDecodingError(payload.name, .missingElement(DataForm.name))
            }
            self.form = form
        }
    }

    public var node: String?

    public init(node: String? = nil) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        if let configure = element.firstChild(PublishSubscribeNames.ownerConfigure) {
            node = try configure.required("node")
        } else {
            _ = try element.required(Self.defaultName)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(node == nil ? Self.defaultName : PublishSubscribeNames.ownerConfigure)
        writer.attribute("node", node)
        writer.end()
        writer.end()
    }

    static let defaultName = XMLName("default", PublishSubscribeNames.owner)
}

/// Configures a node (XEP-0060 Publish-Subscribe §8.2.4).
public struct NodeConfigurationChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.ownerRequest
    public static let iqType = IQ.Kind.set

    public var node: String
    public var form: DataForm

    public init(node: String, form: DataForm) {
        self.node = node
        self.form = form
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let configure = try element.required(PublishSubscribeNames.ownerConfigure)
        node = try configure.required("node")
        form = try DataForm(from: try configure.required(DataForm.name))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(PublishSubscribeNames.ownerConfigure)
        writer.attribute("node", node)
        form.encode(to: &writer)
        writer.end()
        writer.end()
    }
}
