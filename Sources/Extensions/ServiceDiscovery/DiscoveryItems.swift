public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

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
