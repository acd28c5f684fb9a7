internal import Cryptography
internal import DataForms
public import XMLStreaming
public import XMPPStanzas

/// A short name for everything an entity supports, sent in presence (XEP-0115 Entity Capabilities).
///
/// ```
/// C: <presence><c xmlns='http://jabber.org/protocol/caps' hash='sha-1'
///      node='https://hongyan.example' ver='QgayPKawpkPSDYmwT/WM94uAlu0='/></presence>
/// ```
public struct EntityCapabilities: XMLPayload, Hashable {
    public static let name = XMLName("c", "http://jabber.org/protocol/caps")

    /// Identifies the software, usually by its URL.
    public var node: String
    /// The verification string: Base64 of the hash of everything in the entity's `disco#info` (§5.1).
    public var verification: String
    /// The name of the hash function, `nil` in the format before version 1.4, which cannot be verified.
    public var hash: String?

    public init(node: String, verification: String, hash: String? = "sha-1") {
        self.node = node
        self.verification = verification
        self.hash = hash
    }

    /// The capabilities of an entity that answers `disco#info` with `information`.
    ///
    /// - Returns: `nil` if the information is ill-formed (§5.4): identities, features or forms that occur twice, or a
    ///   form with several values of `FORM_TYPE`. Also if different information could have the same string (§8.1): a
    ///   name with `<`, an identity without category or type, or with `/` in them.
    public init?(node: String, describing information: DiscoveryInformation) {
        guard let input = Self.hashInput(of: information) else { return nil }
        self.init(node: node, verification: Base64.encode(SHA1.hash(Array(input.utf8))))
    }

    /// Whether this verification string was computed from `information`. Only then it may be cached (§5.4).
    public func verifies(_ information: DiscoveryInformation) -> Bool {
        guard hash == "sha-1", let input = Self.hashInput(of: information) else { return false }
        return Base64.encode(SHA1.hash(Array(input.utf8))) == verification
    }

    /// Whether the announcement is short enough to be cached: a URL and the Base64 of a hash.
    var isShort: Bool {
        node.utf8.count + verification.utf8.count + (hash?.utf8.count ?? 0) <= Self.maximumBytes
    }

    /// The maximum length of a cached announcement, in bytes.
    private static let maximumBytes = 1024

    /// The string to hash (§5.1): sorted by octets, each part terminated by `<`.
    static func hashInput(of information: DiscoveryInformation) -> String? {
        guard Set(information.identities).count == information.identities.count, !information.repeatsFeatures,
            information.identities.allSatisfy(\.isUnambiguous), information.features.allSatisfy(\.isUnambiguous),
            information.forms.allSatisfy(\.isUnambiguous)
        else { return nil }
        func byOctets(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }

        let identities = information.identities.map {
            "\($0.category)/\($0.type)/\($0.language ?? "")/\($0.name ?? "")<"
        }
        var input = identities.sorted(by: byOctets).joined()
        for feature in information.features.sorted(by: byOctets) { input += feature + "<" }

        // Forms without a hidden FORM_TYPE are ignored (§5.4 item 3.6); two of one type make the information
        // ill-formed.
        let forms = information.forms.filter { $0["FORM_TYPE"]?.kind == .hidden && $0.formType != nil }
        let types = forms.compactMap(\.formType)
        guard Set(types).count == types.count else { return nil }
        for form in forms.sorted(by: { byOctets($0.formType ?? "", $1.formType ?? "") }) {
            input += (form.formType ?? "") + "<"
            let fields = form.fields.filter { $0.name != "FORM_TYPE" && $0.name != nil }
            for field in fields.sorted(by: { byOctets($0.name ?? "", $1.name ?? "") }) {
                input += (field.name ?? "") + "<"
                for value in field.values.sorted(by: byOctets) { input += value + "<" }
            }
        }
        return input
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        node = try element.required("node")
        verification = try element.required("ver")
        hash = element["hash"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("hash", hash)
        writer.attribute("node", node)
        writer.attribute("ver", verification)
        writer.end()
    }
}

extension EntityCapabilities: PresencePayload {}

extension String {
    /// It cannot be read as two parts of the hashed string.
    fileprivate var isUnambiguous: Bool { !utf8.contains(UInt8(ascii: "<")) }
}

extension DiscoveryInformation.Identity {
    fileprivate var isUnambiguous: Bool {
        let fields = [category, type, language ?? ""]
        return !category.isEmpty && !type.isEmpty && (name ?? "").isUnambiguous
            && fields.allSatisfy { $0.isUnambiguous && !$0.utf8.contains(UInt8(ascii: "/")) }
    }
}

extension DataForm {
    /// Different values of `FORM_TYPE` make the information ill-formed.
    fileprivate var isUnambiguous: Bool {
        fields.allSatisfy { ($0.name ?? "").isUnambiguous && $0.values.allSatisfy(\.isUnambiguous) }
            && fields.filter { $0.name == "FORM_TYPE" }.allSatisfy { Set($0.values).count <= 1 }
    }
}
