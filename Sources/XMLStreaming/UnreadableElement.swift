/// An element below the stream element that is well-formed XML but beyond a limit or against the rules of namespaces, or
/// one inside of which the grammar of XML is broken.
///
/// The parser has read it to its end, or to where it is broken, and kept nothing but what stands here: enough to answer a
/// request, to fail one that waits, and to say what it was.
public struct UnreadableElement: Sendable, Hashable {
    /// The name; empty where it could not be read, cut where it is very long.
    public var name: XMLName
    /// The `id`, if it has no more than ``maximumIdentifierBytes``.
    public var id: String?
    /// The `from` as it was written, if it can be an address by its length.
    public var from: String?
    /// The `to` as it was written, if it can be an address by its length.
    public var to: String?
    /// The `type`, if it has no more than ``maximumIdentifierBytes``.
    public var type: String?
    /// The first child without what is in it, if its start tag could be read and has no more than
    /// ``maximumChildBytes``: it says which request of ours a stanza belongs to.
    public var firstChild: XMLElement?
    /// Why it could not be read, and where.
    public var reason: XMLError
    /// Bytes from its `<` to its `>`, or to where it is broken.
    public var byteCount: Int

    /// What answers repeat is no longer than this: the identifiers of programs have some dozen bytes.
    public static let maximumIdentifierBytes = 1024
    /// The longest address: three parts of 1,023 bytes, `@` and `/` (RFC 7622 §3.1).
    public static let maximumAddressBytes = 3071
    /// Enough for the payloads of all specifications, whose start tags hold identifiers.
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

    /// The element as far as it is known: its name and the attributes above, without content.
    public var startTag: XMLElement {
        XMLElement(name) { writer in
            writer.attribute("from", from)
            writer.attribute("to", to)
            writer.attribute("type", type)
            writer.attribute("id", id)
        }
    }
}
