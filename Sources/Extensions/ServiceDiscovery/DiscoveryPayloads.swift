public import DataForms
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The identities and features of an entity (XEP-0030 Service Discovery §3, `disco#info`).
///
/// ```
/// C: <iq type='get' to='example.org'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>
/// S: <iq type='result'><query xmlns='http://jabber.org/protocol/disco#info'>
///      <identity category='server' type='im'/><feature var='urn:xmpp:ping'/></query></iq>
/// ```
public struct DiscoveryInformation: XMLPayload, Equatable {
    /// A category and type of an entity.
    public struct Identity: Sendable, Hashable {
        public var category: String
        public var type: String
        public var language: String?
        public var name: String?

        public init(category: String, type: String, language: String? = nil, name: String? = nil) {
            self.category = category
            self.type = type
            self.language = language
            self.name = name
        }
    }

    public static let name = XMLName("query", "http://jabber.org/protocol/disco#info")

    public var node: String?
    public var identities: [Identity]
    public var features: Set<String>
    /// Extended information (XEP-0128).
    public var forms: [DataForm]
    /// Whether a feature occurs twice, which makes the information ill-formed for ``EntityCapabilities`` (XEP-0115
    /// §5.4).
    private(set) var repeatsFeatures = false
    /// Whether there is content that is not read here, which makes the information ill-formed for ``CapabilityHashes``
    /// (XEP-0390 §4.1).
    private(set) var hasUnknownContent = false

    public init(
        node: String? = nil, identities: [Identity] = [], features: Set<String> = [], forms: [DataForm] = []
    ) {
        self.node = node
        self.identities = identities
        self.features = features
        self.forms = forms
    }

    public func hasIdentity(category: String, type: String) -> Bool {
        identities.contains { $0.category == category && $0.type == type }
    }

    /// The approximate memory of the texts, in bytes.
    var byteCount: Int {
        var count = node?.utf8.count ?? 0
        for identity in identities {
            count += identity.category.utf8.count + identity.type.utf8.count + (identity.name?.utf8.count ?? 0)
        }
        for feature in features { count += feature.utf8.count }
        for field in forms.lazy.flatMap(\.fields) {
            count += field.name?.utf8.count ?? 0
            for value in field.values { count += value.utf8.count }
        }
        return count
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(node: element["node"])
        for child in element.children {
            if child.isNamed(Self.identityName) {
                identities.append(
                    Identity(
                        category: try child.required("category"), type: try child.required("type"),
                        language: child.language, name: child["name"]))
            } else if child.isNamed(Self.featureName) {
                if !features.insert(try child.required("var")).inserted { repeatsFeatures = true }
            } else if child.isNamed(DataForm.name) {
                forms.append(try DataForm(from: child))
            } else {
                hasUnknownContent = true
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("node", node)
        for identity in identities {
            writer.start(Self.identityName)
            writer.attribute("category", identity.category)
            writer.attribute("type", identity.type)
            writer.attribute(Self.languageName, identity.language)
            writer.attribute("name", identity.name)
            writer.end()
        }
        for feature in features.sorted() {
            writer.start(Self.featureName)
            writer.attribute("var", feature)
            writer.end()
        }
        for form in forms { form.encode(to: &writer) }
        writer.end()
    }

    private static let identityName = XMLName("identity", name.namespace)
    private static let featureName = XMLName("feature", name.namespace)
    private static let languageName = XMLName("lang", "http://www.w3.org/XML/1998/namespace")
}

extension DiscoveryInformation: IQResponse {}

/// Requests the identities and features of an entity (XEP-0030 Service Discovery §3.1).
public struct DiscoveryInformationRequest: IQRequest, Equatable {
    public typealias Response = DiscoveryInformation
    public static let name = DiscoveryInformation.name

    public var node: String?

    public init(node: String? = nil) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = element["node"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("node", node)
        writer.end()
    }
}

/// Requests the addresses and nodes associated with an entity (XEP-0030 Service Discovery §4.1).
public struct DiscoveryItemsRequest: IQRequest, Equatable {
    public typealias Response = DiscoveryItems
    public static let name = DiscoveryItems.name

    public var node: String?

    public init(node: String? = nil) {
        self.node = node
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = element["node"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("node", node)
        writer.end()
    }
}

/// The addresses and nodes associated with an entity (XEP-0030 Service Discovery §4, `disco#items`).
public struct DiscoveryItems: XMLPayload, Equatable {
    public struct Item: Sendable, Equatable {
        public var address: JID
        public var node: String?
        public var name: String?

        public init(address: JID, node: String? = nil, name: String? = nil) {
            self.address = address
            self.node = node
            self.name = name
        }
    }

    public static let name = XMLName("query", "http://jabber.org/protocol/disco#items")

    public var node: String?
    public var items: [Item]

    public init(node: String? = nil, items: [Item] = []) {
        self.node = node
        self.items = items
    }

    /// Items with an invalid address are skipped, so that one invalid entry does not hide the others.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = element["node"]
        items = []
        for child in element.children where child.isNamed(Self.itemName) {
            guard let address = child["jid"].flatMap({ try? JID($0) }) else { continue }
            items.append(Item(address: address, node: child["node"], name: child["name"]))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("node", node)
        for item in items {
            writer.start(Self.itemName)
            writer.attribute("jid", item.address.description)
            writer.attribute("node", item.node)
            writer.attribute("name", item.name)
            writer.end()
        }
        writer.end()
    }

    private static let itemName = XMLName("item", name.namespace)
}

extension DiscoveryItems: IQResponse {}
