/// One entry of the tape: 16 bytes that describe an element, an attribute, a run of text or a namespace.
///
/// The record of a top-level element is one array: entry 0 is the header, entry 1 the inherited default namespace,
/// entry 2 the root element. The bytes that all offsets refer to follow the last entry. An array of plain values is one
/// heap object, is `Sendable`, and every access to it is bounds-checked.
///
/// | kind      | `first`      | `second`                 | `third`               |
/// |-----------|--------------|--------------------------|-----------------------|
/// | header    | entry count  | byte count               | byte count as read    |
/// | element   | name offset  | entry after the subtree  | entry of its namespace|
/// | attribute | name offset  | value offset             | value length          |
/// | text      | offset       | length                   |                       |
/// | namespace | offset       | length                   |                       |
///
/// An attribute with a prefix other than `xml` is followed by the namespace of that prefix.
struct TapeEntry: BitwiseCopyable, Sendable {
    enum Kind: UInt32 { case element, attribute, text, namespace }

    var first: UInt32
    var second: UInt32
    var third: UInt32
    /// Kind (2 bits), bytes of the prefix with its colon (15 bits), bytes of the local name (15 bits).
    var packed: UInt32

    static let headerIndex = 0
    static let inheritedNamespaceIndex = 1
    static let rootIndex = 2
    static let size = 16

    @inline(__always)
    init(_ kind: Kind, _ first: Int, _ second: Int, _ third: Int = 0, prefix: Int = 0, name: Int = 0) {
        self.first = UInt32(truncatingIfNeeded: first)
        self.second = UInt32(truncatingIfNeeded: second)
        self.third = UInt32(truncatingIfNeeded: third)
        packed =
            kind.rawValue | UInt32(truncatingIfNeeded: prefix) &<< 2 | UInt32(truncatingIfNeeded: name) &<< 17
    }

    @inline(__always) var isElement: Bool { packed & 3 == Kind.element.rawValue }
    @inline(__always) var isAttribute: Bool { packed & 3 == Kind.attribute.rawValue }
    @inline(__always) var isText: Bool { packed & 3 == Kind.text.rawValue }

    @inline(__always) var name: Int { Int(first) }
    @inline(__always) var value: Int { Int(second) }
    @inline(__always) var valueLength: Int { Int(third) }
    @inline(__always) var prefixLength: Int { Int(packed &>> 2 & 0x7FFF) }
    @inline(__always) var localLength: Int { Int(packed &>> 17) }
    @inline(__always) var localOffset: Int { Int(first) &+ prefixLength }
    @inline(__always) var qualifiedLength: Int { prefixLength &+ localLength }
}
