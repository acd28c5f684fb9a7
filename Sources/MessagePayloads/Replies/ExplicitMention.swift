public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Addresses a message to a person or a group, and says in which words (XEP-0513 Explicit Mentions).
///
/// ```
/// C: <body>Hello, Alice!</body>
///    <mention xmlns='urn:xmpp:mentions:0' begin='7' end='12' occupantid='alice@occupant-id'/>
/// ```
public struct ExplicitMention: MessagePayload, Hashable {
    /// Who is mentioned.
    public enum Target: Sendable, Hashable {
        /// An occupant of the room, by the occupant id (XEP-0421).
        case occupant(String)
        case account(JID)
        /// A group; its kind decides whether an address must name which one.
        case group(Group, uri: String?)
    }

    /// The kind of a group (§4.2). Others may be defined.
    public struct Group: RawRepresentable, Sendable, Hashable {
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        private init(_ kind: String) {
            self.init(rawValue: ExplicitMention.name.namespace + "#" + kind)
        }

        /// Everybody in a room; without an address, in this one.
        public static let channel = Group("channel")
        public static let space = Group("space")
        /// All users of the server that the address names.
        public static let server = Group("server")
        /// The occupants with a hat, whose URI is the address.
        public static let hats = Group("hats")
        public static let moderators = Group("moderators")
        public static let participants = Group("participants")
        public static let visitors = Group("visitors")
        public static let owners = Group("owner")
        public static let administrators = Group("admin")
        public static let members = Group("member")
        public static let unaffiliated = Group("none")
    }

    public static let name = XMLName("mention", "urn:xmpp:mentions:0")
    /// The maximum number of mentions of a message that are read.
    public static let limit = 64
    /// The maximum length of an identifier or address, in bytes.
    private static let identifierLimit = 1024

    public var target: Target
    /// The range in the body, in Unicode code points; `nil` if the text does not show the mention.
    public var range: Range<Int>?
    /// The language of the body that the range belongs to (§4.4).
    public var language: String?
    /// Only who is active at the moment is notified (§4.5.1).
    public var isForActiveOnly: Bool
    /// No user is notified (§4.5.2).
    public var isSilent: Bool

    public init(
        _ target: Target, at range: Range<Int>? = nil, language: String? = nil, isForActiveOnly: Bool = false,
        isSilent: Bool = false
    ) {
        self.target = target
        self.range = range
        self.language = language
        self.isForActiveOnly = isForActiveOnly
        self.isSilent = isSilent
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let address = try element.address("jid")
        let occupant = element["occupantid"]
        let uri = element["uri"]
        for text in [occupant, uri, element["mentions"]] {
            guard let text, text.isEmpty || text.utf8.count > Self.identifierLimit else { continue }
            throw XMLDecodingError(Self.name, .invalid("an identifier is empty or too long"))
        }
        if let group = element["mentions"] {
            target = .group(Group(rawValue: group), uri: uri)
        } else if let occupant {
            target = .occupant(occupant)
        } else if let address {
            target = .account(address)
        } else {
            throw XMLDecodingError(Self.name, .invalid("it has no mention"))
        }
        let begin: UInt32? = try element.value("begin")
        let end: UInt32? = try element.value("end")
        // One without the other is ignored.
        if let begin, let end {
            guard begin <= end else { throw XMLDecodingError(Self.name, .invalidAttribute("end", value: "\(end)")) }
            range = Int(begin)..<Int(end)
        }
        language = element["hreflang"]
        isForActiveOnly = element.firstChild(Self.activeName) != nil
        isSilent = element.firstChild(Self.silentName) != nil
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("begin", range.map { "\($0.lowerBound)" })
        writer.attribute("end", range.map { "\($0.upperBound)" })
        writer.attribute("hreflang", language)
        switch target {
        case .occupant(let id): writer.attribute("occupantid", id)
        case .account(let address): writer.attribute("jid", address.description)
        case .group(let group, let uri):
            writer.attribute("mentions", group.rawValue)
            writer.attribute("uri", uri)
        }
        if isForActiveOnly { writer.element(Self.activeName) }
        if isSilent { writer.element(Self.silentName) }
        writer.end()
    }

    private static let activeName = XMLName("active", name.namespace)
    private static let silentName = XMLName("noping", name.namespace)
}

extension Message {
    /// The valid explicit mentions.
    public var explicitMentions: [ExplicitMention] {
        payloads.lazy.filter { $0.isNamed(ExplicitMention.name) }.prefix(ExplicitMention.limit).compactMap {
            try? ExplicitMention(from: $0)
        }
    }
}
