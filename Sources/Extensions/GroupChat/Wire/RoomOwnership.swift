public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// Asks the owner's question: how is the room configured (XEP-0045 Multi-User Chat §10.2)?
public struct RoomConfigurationRequest: IQRequest, Equatable {
    public static let name = XMLName("query", RoomNames.owner)

    /// The form, with the present values in it.
    public struct Response: IQResponse, Equatable {
        public var form: DataForm

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            guard let form = try payload?.decode(DataForm.self) else {
                throw XMLDecodingError(RoomConfigurationRequest.name, .missingElement(DataForm.name))
            }
            self.form = form
        }
    }

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}

/// What an owner does to a room: configure it, or destroy it (XEP-0045 Multi-User Chat §10.1, §10.2, §10.9).
///
/// ```
/// C: <iq type='set' to='coven@chat.shakespeare.lit'><query xmlns='http://jabber.org/protocol/muc#owner'>
///      <x xmlns='jabber:x:data' type='submit'/></query></iq>
/// ```
public enum RoomOwnerRequest: IQRequest, Equatable {
    /// An empty form of type `submit` accepts the defaults of a new room (§10.1.2); one of type `cancel` gives a new room up.
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
