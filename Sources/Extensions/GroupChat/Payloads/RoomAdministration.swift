public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Roles and affiliations of users, as listed by a room or as requested by an administrator (XEP-0045 Multi-User Chat
/// §8, §9).
public struct RoomAdministration: IQPayload, IQResponse, Equatable {
    public static let name = XMLName("query", RoomNames.administration)

    public var items: [RoomItem]

    public init(items: [RoomItem]) {
        self.items = items
    }

    /// Invalid items are omitted: one bad entry must not hide the others.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        items = element.children(Self.itemName).compactMap { try? RoomItem(reading: $0) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for item in items { item.encode(to: &writer, namespace: RoomNames.administration) }
        writer.end()
    }

    private static let itemName = XMLName("item", RoomNames.administration)
}

/// Requests the users with an affiliation or a role from a room (XEP-0045 Multi-User Chat §9.5).
///
/// ```
/// C: <iq type='get' to='coven@chat.shakespeare.lit'><query xmlns='http://jabber.org/protocol/muc#admin'>
///      <item affiliation='member'/></query></iq>
/// ```
public struct RoomListRequest: IQRequest, Equatable {
    public typealias Response = RoomAdministration
    public static let name = RoomAdministration.name

    public var affiliation: RoomAffiliation?
    public var role: RoomRole?

    public init(_ affiliation: RoomAffiliation) {
        self.affiliation = affiliation
    }

    public init(role: RoomRole) {
        self.role = role
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        let item = try RoomAdministration(from: element).items.first
        guard let item, item.affiliation != nil || item.role != nil else {
            throw XMLDecodingError(Self.name, .missingAttribute("affiliation"))
        }
        affiliation = item.affiliation
        role = item.role
    }

    public func encode(to writer: inout XMLWriter) {
        RoomAdministration(items: [RoomItem(affiliation: affiliation, role: role)]).encode(to: &writer)
    }
}

/// Changes roles and affiliations (XEP-0045 Multi-User Chat §8.2 to §8.4, §9, §10).
public struct RoomListChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = RoomAdministration.name
    public static let iqType = IQ.Kind.set

    public var items: [RoomItem]

    public init(_ items: [RoomItem]) {
        self.items = items
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        items = try RoomAdministration(from: element).items
    }

    public func encode(to writer: inout XMLWriter) {
        RoomAdministration(items: items).encode(to: &writer)
    }
}

/// Requests the configuration of a room as an owner (XEP-0045 Multi-User Chat §10.2).
public struct RoomConfigurationRequest: IQRequest, EmptyPayload, Equatable {
    public static let name = XMLName("query", RoomNames.owner)

    /// The form with the current values; without fields if the room has no options (§10.2).
    public struct Response: IQResponse, Equatable {
        public var form: DataForm

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            guard let payload else {
                throw XMLDecodingError(IQ.name, .missingElement(RoomConfigurationRequest.name))
            }
            try payload.requireName(RoomConfigurationRequest.name)
            form = try payload.decode(DataForm.self) ?? DataForm(kind: .form)
        }
    }

    public init() {}
}

/// Configures or destroys a room as an owner (XEP-0045 Multi-User Chat §10.1, §10.2, §10.9).
///
/// ```
/// C: <iq type='set' to='coven@chat.shakespeare.lit'><query xmlns='http://jabber.org/protocol/muc#owner'>
///      <x xmlns='jabber:x:data' type='submit'/></query></iq>
/// ```
public enum RoomOwnerRequest: IQRequest, Equatable {
    /// An empty form of type `submit` accepts the defaults of a new room (§10.1.2); one of type `cancel` abandons a new
    /// room.
    case configure(DataForm)
    case destroy(RoomUser.Destruction)

    public typealias Response = EmptyResponse
    public static let name = XMLName("query", RoomNames.owner)
    public static let iqType = IQ.Kind.set

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        if let form = try element.decode(DataForm.self) {
            self = .configure(form)
        } else {
            self = .destroy(RoomUser.Destruction(reading: try element.required(XMLName("destroy", RoomNames.owner))))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        switch self {
        case .configure(let form): form.encode(to: &writer)
        case .destroy(let destruction): destruction.encode(to: &writer, namespace: RoomNames.owner)
        }
        writer.end()
    }
}
