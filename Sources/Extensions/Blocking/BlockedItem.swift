public import XMLStreaming
public import XMPPAddress

/// One address to block, perhaps with a report of what it did (XEP-0191 Blocking Command §3.3).
public struct BlockedItem: XMLPayload, Equatable {
    public static let name = XMLName("item", BlockRequest.namespace)

    /// An account, a device, a whole domain, or an address at a domain without an account.
    public var address: JID
    /// Tells the operators of the server why.
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
