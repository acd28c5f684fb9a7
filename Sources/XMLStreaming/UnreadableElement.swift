/// An element below the stream element that is well-formed XML but exceeds a limit or breaks the rules of namespaces, or
/// one that contains ill-formed XML.
///
/// The parser has read it to its end, or to the error, and stored only the properties here: enough to answer a request, to
/// fail a pending one, and to report what it was.
public struct UnreadableElement: Sendable, Hashable {
    /// The name; empty if it could not be read, truncated if it is very long.
    public var name: XMLName
    /// The `id`, if it is no longer than ``maximumIdentifierBytes``.
    public var id: String?
    /// The `from` as written, if it is short enough to be an address.
    public var from: String?
    /// The `to` as written, if it is short enough to be an address.
    public var to: String?
    /// The `type`, if it is no longer than ``maximumIdentifierBytes``.
    public var type: String?
    /// The first child without its content, if its start tag could be read and is no longer than ``maximumChildBytes``.
    /// It shows which of our requests a stanza belongs to.
    public var firstChild: XMLElement?
    /// Why it could not be read, and where.
    public var reason: XMLError
    /// Bytes from its `<` to its `>`, or to where it is broken.
    public var byteCount: Int

    /// The limit for what a response repeats: identifiers have a few dozen bytes in practice.
    public static let maximumIdentifierBytes = 1024
    /// The longest address: three parts of 1,023 bytes, `@` and `/` (RFC 7622 §3.1).
    public static let maximumAddressBytes = 3071
    /// Enough for the payloads of all specifications, whose start tags contain only identifiers.
    public static let maximumChildBytes = 4096

    public init(
        name: XMLName, id: String? = nil, from: String? = nil, to: String? = nil, type: String? = nil,
        firstChild: XMLElement? = nil, reason: XMLError, byteCount: Int
    ) {
        self.name = name
        self.id = id
        self.from = from
        self.to = to
        self.type = type
        self.firstChild = firstChild
        self.reason = reason
        self.byteCount = byteCount
    }

    /// What is known of the element: its name and the attributes above, without content.
    public var startTag: XMLElement {
        XMLElement(name) { writer in
            writer.attribute("from", from)
            writer.attribute("to", to)
            writer.attribute("type", type)
            writer.attribute("id", id)
        }
    }
}

/// Collects the parts of a top-level element's start tag, each up to a limit.
struct ElementHead: Sendable {
    /// The attributes that are stored.
    enum Part { case id, from, to, type, defaultNamespace, prefixNamespace }

    private(set) var qualifiedName: [UInt8] = []
    private var prefixLength = 0
    private var id: [UInt8]?
    private var from: [UInt8]?
    private var to: [UInt8]?
    private var type: [UInt8]?
    private var defaultNamespace: [UInt8]?
    private var prefixNamespace: [UInt8]?
    /// The namespace of the name, if it is already known.
    var namespace: [UInt8]?

    /// The maximum length of any part.
    static let maximumPartBytes = UnreadableElement.maximumAddressBytes
    /// Names are truncated here: the names of stanzas are short, and no other name has a meaning at the top level.
    static let maximumNameBytes = 256

    /// The name with its prefix, truncated to the limit.
    mutating func setName(_ name: [UInt8]) {
        qualifiedName = Array(name.prefix(ElementHead.maximumNameBytes))
        prefixLength = qualifiedName.firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? 0
    }

    /// Which part an attribute is, by its name as written.
    func part(named name: [UInt8]) -> Part? {
        switch name.count {
        case 2 where name.elementsEqual("id".utf8): .id
        case 2 where name.elementsEqual("to".utf8): .to
        case 4 where name.elementsEqual("from".utf8): .from
        case 4 where name.elementsEqual("type".utf8): .type
        case 5 where name.elementsEqual("xmlns".utf8): .defaultNamespace
        case prefixLength + 5
        where prefixLength > 0 && name.starts(with: "xmlns:".utf8)
            && name.dropFirst(6).elementsEqual(qualifiedName.prefix(prefixLength - 1)):
            .prefixNamespace
        default: nil
        }
    }

    /// The value of a part, with references resolved. A value that is too long counts as absent.
    mutating func set(_ part: Part, _ value: [UInt8]) {
        guard value.count <= maximumBytes(of: part) else { return }
        switch part {
        case .id: id = value
        case .from: from = value
        case .to: to = value
        case .type: type = value
        case .defaultNamespace: defaultNamespace = value
        case .prefixNamespace: prefixNamespace = value
        }
    }

    private func maximumBytes(of part: Part) -> Int {
        switch part {
        case .id, .type: UnreadableElement.maximumIdentifierBytes
        case .from, .to, .defaultNamespace, .prefixNamespace: ElementHead.maximumPartBytes
        }
    }

    /// - Parameters:
    ///   - context: What the stream header declared.
    ///   - firstChild: The first child's start tag, if it was read.
    func element(
        in context: borrowing TapeBuilder.Context, firstChild: XMLElement?, reason: XMLError, byteCount: Int
    ) -> UnreadableElement {
        let declared =
            prefixLength == 0
            ? defaultNamespace ?? context.defaultNamespace
            : prefixNamespace ?? context.namespace(ofPrefix: qualifiedName.prefix(prefixLength - 1)) ?? []
        let isReplaced = !context.replacedNamespace.isEmpty && declared == context.replacedNamespace
        let read = isReplaced ? context.defaultNamespace : declared
        return UnreadableElement(
            name: XMLName(
                Self.string(Array(qualifiedName.dropFirst(prefixLength))), Self.string(namespace ?? read)),
            id: id.map(Self.string), from: from.map(Self.string), to: to.map(Self.string), type: type.map(Self.string),
            firstChild: firstChild, reason: reason, byteCount: byteCount)
    }

    private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
