public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The addresses that an account has blocked, as its server keeps them (XEP-0191 Blocking Command §3.2).
///
/// ```
/// C: <iq type='get' id='blocklist1'><blocklist xmlns='urn:xmpp:blocking'/></iq>
/// S: <iq type='result' id='blocklist1'><blocklist xmlns='urn:xmpp:blocking'>
///      <item jid='romeo@montague.net'/></blocklist></iq>
/// ```
public struct BlockList: IQPayload, IQResponse, Equatable {
    public static let name = XMLName("blocklist", BlockRequest.namespace)

    public var addresses: Set<JID>

    public init(_ addresses: Set<JID> = []) {
        self.addresses = addresses
    }

    /// Items whose address is not valid are left out: one bad entry must not hide the others.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        addresses = []
        for child in element.children(BlockedItem.name) {
            if let item = try? BlockedItem(from: child) { addresses.insert(item.address) }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for address in addresses.sorted() { BlockedItem(address).encode(to: &writer) }
        writer.end()
    }
}

/// Asks for the addresses that the account has blocked (XEP-0191 Blocking Command §3.2). From then on the server tells this
/// device about changes.
public struct BlockListRequest: IQRequest, Equatable {
    public typealias Response = BlockList
    public static let name = BlockList.name

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}
