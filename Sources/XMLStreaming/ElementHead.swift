/// Collects what the start tag of a top-level element says about it, each part up to a bound.
struct ElementHead: Sendable {
    /// The attributes that are kept.
    enum Part { case id, from, to, type, defaultNamespace, prefixNamespace }

    private(set) var qualifiedName: [UInt8] = []
    private var prefixLength = 0
    private var id: [UInt8]?
    private var from: [UInt8]?
    private var to: [UInt8]?
    private var type: [UInt8]?
    private var defaultNamespace: [UInt8]?
    private var prefixNamespace: [UInt8]?
    /// The namespace of the name, where it is known already.
    var namespace: [UInt8]?

    /// The longest that any part may be.
    static let maximumPartBytes = UnreadableElement.maximumAddressBytes
    /// A name is cut here: those of stanzas are short, and no other name means anything at the top level.
    static let maximumNameBytes = 256

    /// The name with its prefix; what it is longer than the bound is left out.
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

    /// The value of a part, references resolved. One that is too long counts as absent.
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
        return UnreadableElement(
            name: XMLName(
                Self.string(Array(qualifiedName.dropFirst(prefixLength))), Self.string(namespace ?? declared)),
            id: id.map(Self.string), from: from.map(Self.string), to: to.map(Self.string), type: type.map(Self.string),
            firstChild: firstChild, reason: reason, byteCount: byteCount)
    }

    private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
