public import XMLStreaming
public import XMPPStanzas

/// Requests the contact list (RFC 6121 §2.1.3).
///
/// ```
/// C: <iq type='get' id='hu2bac18'><query xmlns='jabber:iq:roster' ver='ver7'/></iq>
/// ```
public struct RosterRequest: IQRequest, Equatable {
    public static let name = RosterQuery.name

    /// The result of the request.
    public struct Response: IQResponse, Equatable {
        /// The whole list, or `nil` if the client's list is up to date (RFC 6121 §2.6.3).
        public var roster: RosterQuery?

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            if let payload { roster = try RosterQuery(from: payload) }
        }
    }

    /// The version of the client's list; empty if it has none but supports versions; `nil` if the server does not
    /// support them.
    public var version: String?

    public init(version: String? = nil) {
        self.version = version
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        version = element["ver"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("ver", version)
        writer.end()
    }
}

/// Adds, changes or removes one contact (RFC 6121 §2.3 to §2.5).
///
/// ```
/// C: <iq type='set' id='ph1xaz53'><query xmlns='jabber:iq:roster'>
///      <item jid='nurse@example.com' name='Nurse'><group>Servants</group></item></query></iq>
/// ```
public struct RosterChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = RosterQuery.name
    public static let iqType = IQ.Kind.set

    public var item: RosterItem

    public init(_ item: RosterItem) {
        self.item = item
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        let query = try RosterQuery(from: element)
        guard let item = query.items.first, query.items.count == 1 else {
            throw XMLDecodingError(Self.name, .missingElement(RosterItem.name))
        }
        self.item = item
    }

    public func encode(to writer: inout XMLWriter) {
        RosterQuery(items: [item]).encode(to: &writer)
    }
}
