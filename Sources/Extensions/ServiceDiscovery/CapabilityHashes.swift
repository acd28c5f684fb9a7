internal import Cryptography
internal import DataForms
public import MessagePayloads
public import XMLStreaming
public import XMPPStanzas

/// The hashes of everything an entity supports, sent in presence (XEP-0390 Entity Capabilities 2.0).
///
/// ```
/// C: <presence><c xmlns='urn:xmpp:caps'>
///      <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>kzBZbkqJ3ADrj7v08reD1qcWUwNGHaidNUgD7nHpiw8=</hash></c></presence>
/// ```
///
/// It replaces ``EntityCapabilities``, whose SHA-1 and separators can be forged; both are sent, because many programs
/// know only the older form.
public struct CapabilityHashes: PresencePayload, Hashable {
    public static let name = XMLName("c", "urn:xmpp:caps")
    /// The maximum number of hashes that are read.
    private static let limit = 8

    public var hashes: [FileHash]

    public init(_ hashes: [FileHash]) {
        self.hashes = hashes
    }

    /// The hashes of an entity that answers `disco#info` with `information`.
    ///
    /// - Returns: `nil` if the information has no hash (§4.1): it contains something unknown or repeated, a form with a
    ///   table, or one without a `FORM_TYPE`.
    public init?(describing information: DiscoveryInformation) {
        guard let input = Self.hashInput(of: information) else { return nil }
        self.init([FileHash(algorithm: "sha-256", value: SHA256.hash(input))])
    }

    /// The SHA-256, which every implementation has.
    var preferred: FileHash? { hashes.first { $0.algorithm == "sha-256" && $0.value.count == 32 } }

    /// The node that is asked for the information of a hash (§4.3).
    static func node(of hash: FileHash) -> String {
        "\(name.namespace)#\(hash.algorithm).\(Base64.encode(hash.value))"
    }

    static func verifies(_ information: DiscoveryInformation, _ hash: FileHash) -> Bool {
        guard hash.algorithm == "sha-256", let input = hashInput(of: information) else { return false }
        return SHA256.hash(input) == hash.value
    }

    /// The octets to hash (§4.1): each list is sorted by octets, each part ended by a separator that no text contains.
    static func hashInput(of information: DiscoveryInformation) -> [UInt8]? {
        guard !information.hasUnknownContent, !information.repeatsFeatures else { return nil }
        func ended(_ text: String?) -> [UInt8] { Array((text ?? "").utf8) + [0x1F] }
        func joined(_ parts: [[UInt8]]) -> [UInt8] {
            parts.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 } + [0x1C]
        }

        let features = joined(information.features.map { ended($0) })
        let identities = joined(
            information.identities.map {
                ended($0.category) + ended($0.type) + ended($0.language) + ended($0.name) + [0x1E]
            })
        var forms: [[UInt8]] = []
        for form in information.forms {
            guard form.formType != nil, form.columns.isEmpty, form.rows.isEmpty else { return nil }
            let fields = form.fields.map { field in
                let values = field.values.map { ended($0) }.sorted { $0.lexicographicallyPrecedes($1) }
                return ended(field.name) + values.flatMap { $0 } + [0x1E]
            }
            forms.append(fields.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 } + [0x1D])
        }
        return features + identities + joined(forms)
    }

    /// Invalid hashes are skipped.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        hashes = element.children(FileHash.name).prefix(Self.limit).compactMap { try? FileHash(from: $0) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for hash in hashes { hash.encode(to: &writer) }
        writer.end()
    }
}

/// What a presence announces, in the newer form if there is one.
enum AnnouncedCapabilities: Hashable, Sendable {
    case hash(FileHash)
    case older(EntityCapabilities)

    /// - Returns: `nil` if nothing is announced, or nothing that can be a cached name.
    init?(_ presence: Presence) {
        guard presence.type == .available else { return nil }
        if let hash = ((try? presence.payload(CapabilityHashes.self)) ?? nil)?.preferred {
            self = .hash(hash)
        } else if let older = (try? presence.payload(EntityCapabilities.self)) ?? nil, older.isShort {
            self = .older(older)
        } else {
            return nil
        }
    }

    /// The node that is asked.
    var node: String {
        switch self {
        case .hash(let hash): CapabilityHashes.node(of: hash)
        case .older(let capabilities): "\(capabilities.node)#\(capabilities.verification)"
        }
    }

    /// Whether the information is what was announced. Only then it is true of all who announce the same.
    func verifies(_ information: DiscoveryInformation) -> Bool {
        switch self {
        case .hash(let hash): CapabilityHashes.verifies(information, hash)
        case .older(let capabilities): capabilities.verifies(information)
        }
    }
}

/// The information that was verified by its hash, which stays true for ever; kept between processes.
///
/// What is read from a cache is verified again, so a damaged file cannot make anything up.
struct VerifiedCapabilities: XMLPayload {
    static let name = XMLName("capabilities", "https://hongyan.example/cache")
    private static let entryName = XMLName("entry", name.namespace)
    /// The maximum number of entries; the programs of all contacts have fewer.
    static let limit = 512
    /// The maximum size of all entries, in bytes.
    static let byteLimit = 4 << 20

    private var entries: [AnnouncedCapabilities: DiscoveryInformation] = [:]
    private var byteCount = 0

    init() {}

    var count: Int { entries.count }

    subscript(announced: AnnouncedCapabilities) -> DiscoveryInformation? { entries[announced] }

    /// Adds information, if it is what was announced.
    ///
    /// - Returns: whether it was added.
    mutating func insert(_ information: DiscoveryInformation, for announced: AnnouncedCapabilities) -> Bool {
        guard entries[announced] == nil, announced.verifies(information) else { return false }
        if entries.count >= Self.limit || byteCount + information.byteCount > Self.byteLimit {
            entries.removeAll()
            byteCount = 0
        }
        entries[announced] = information
        byteCount += information.byteCount
        return true
    }

    /// Adds the entries of a cache.
    mutating func insert(contentsOf other: VerifiedCapabilities) {
        for (announced, information) in other.entries where entries.count < Self.limit {
            _ = insert(information, for: announced)
        }
    }

    init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        for entry in element.children(Self.entryName).prefix(Self.limit) {
            guard let information = try? entry.decode(DiscoveryInformation.self) else { continue }
            if let older = (try? entry.decode(EntityCapabilities.self)) ?? nil {
                _ = insert(information, for: .older(older))
            } else if let hash = ((try? entry.decode(CapabilityHashes.self)) ?? nil)?.preferred {
                _ = insert(information, for: .hash(hash))
            }
        }
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for (announced, information) in entries {
            writer.start(Self.entryName)
            switch announced {
            case .hash(let hash): CapabilityHashes([hash]).encode(to: &writer)
            case .older(let older): older.encode(to: &writer)
            }
            information.encode(to: &writer)
            writer.end()
        }
        writer.end()
    }
}
