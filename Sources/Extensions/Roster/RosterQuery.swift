public import XMLStreaming
public import XMPPStanzas

/// The contact list, or the changed part of it, on the wire (RFC 6121 §2.1.1).
public struct RosterQuery: XMLPayload, Equatable {
    public static let name = XMLName("query", RosterItem.name.namespace)

    /// The version of the list; an empty string asks for versioning without having a list yet (RFC 6121 §2.6).
    public var version: String?
    public var items: [RosterItem]

    public init(version: String? = nil, items: [RosterItem] = []) {
        self.version = version
        self.items = items
    }

    /// Items that cannot be read are left out: one bad entry must not hide the others.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        version = element["ver"]
        items = element.children.filter { $0.isNamed(RosterItem.name) }.compactMap { try? RosterItem(from: $0) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("ver", version)
        for item in items { item.encode(to: &writer) }
        writer.end()
    }
}

extension RosterQuery: IQPayload {}
