public import DataForms
public import XMLStreaming
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
