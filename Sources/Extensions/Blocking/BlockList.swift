public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The addresses that an account has blocked, stored by its server (XEP-0191 Blocking Command §3.2).
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

    /// Items with an invalid address are skipped, so that one invalid entry does not hide the others.
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

/// Requests the blocked addresses of the account (XEP-0191 Blocking Command §3.2). From then on the server notifies
/// this device of changes.
public struct BlockListRequest: IQRequest, EmptyPayload, Equatable {
    public typealias Response = BlockList
    public static let name = BlockList.name

    public init() {}
}

/// Blocks addresses, or reports which ones another device of the account has blocked (XEP-0191 Blocking Command §3.3).
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

    /// - Throws: if there is no item (§3.3 asks for `bad-request`) or an invalid one.
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

/// Unblocks addresses, or reports which ones another device of the account has unblocked (XEP-0191 Blocking Command
/// §3.4, §3.5).
public struct UnblockRequest: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("unblock", BlockRequest.namespace)
    public static let iqType = IQ.Kind.set

    /// An empty list means all addresses (§3.5).
    public var addresses: [JID]

    public init(_ addresses: [JID]) {
        self.addresses = addresses
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        addresses = []
        // An invalid item must not become "all addresses".
        for child in element.children(BlockedItem.name) { addresses.append(try BlockedItem(from: child).address) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for address in addresses { BlockedItem(address).encode(to: &writer) }
        writer.end()
    }
}

/// An address to block, optionally with a report (XEP-0191 Blocking Command §3.3).
public struct BlockedItem: XMLPayload, Equatable {
    public static let name = XMLName("item", BlockRequest.namespace)

    /// An account, a device, a whole domain, or a resource of a domain.
    public var address: JID
    /// The reason, for the operators of the server.
    public var report: AbuseReport?

    public init(_ address: JID, report: AbuseReport? = nil) {
        self.address = address
        self.report = report
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let text = try element.required("jid")
        guard let address = try? JID(text) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("jid", value: text))
        }
        self.address = address
        report = try element.decode(AbuseReport.self)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("jid", address.description)
        report?.encode(to: &writer)
        writer.end()
    }
}
