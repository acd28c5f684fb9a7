public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Blocks addresses, or says which another device of the account has blocked (XEP-0191 Blocking Command §3.3).
///
/// ```
/// C: <iq type='set' id='block1'><block xmlns='urn:xmpp:blocking'><item jid='romeo@montague.net'/></block></iq>
/// S: <iq type='result' id='block1'/>
/// ```
public struct BlockRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let namespace = "urn:xmpp:blocking"
    public static let name = XMLName("block", namespace)
    public static let iqType = IQ.Kind.set

    public var items: [BlockedItem]

    public init(_ items: [BlockedItem]) {
        self.items = items
    }

    /// - Throws: if there is no item (§3.3 asks for `bad-request`) or one that cannot be read.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        items = []
        for child in element.children(BlockedItem.name) { items.append(try BlockedItem(from: child)) }
        guard !items.isEmpty else { throw XMLDecodingError(Self.name, .missingElement(BlockedItem.name)) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for item in items { item.encode(to: &writer) }
        writer.end()
    }
}

/// Takes blocks away, or says which another device of the account has taken away (XEP-0191 Blocking Command §3.4, §3.5).
public struct UnblockRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("unblock", BlockRequest.namespace)
    public static let iqType = IQ.Kind.set

    /// Nobody in particular means everybody (§3.5).
    public var addresses: [JID]

    public init(_ addresses: [JID]) {
        self.addresses = addresses
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        addresses = []
        // An item that cannot be read must not turn into "everybody".
        for child in element.children(BlockedItem.name) { addresses.append(try BlockedItem(from: child).address) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for address in addresses { BlockedItem(address).encode(to: &writer) }
        writer.end()
    }
}
