public import MessageFeatures
public import XMLStreaming
public import XMPPStanzas

/// The join request in a presence to `room@service/nickname` (XEP-0045 Multi-User Chat §7.2).
///
/// ```
/// C: <presence to='coven@chat.shakespeare.lit/thirdwitch'><x xmlns='http://jabber.org/protocol/muc'>
///      <password>cauldronburn</password><history maxstanzas='20'/></x></presence>
/// ```
public struct RoomEntrance: PresencePayload, Equatable {
    /// The limits of the requested history (§7.2.14). All of them apply; the room may send less.
    public struct History: Sendable, Equatable {
        public var maximumMessages: Int?
        public var maximumCharacters: Int?
        /// Only messages of the last seconds, by this number.
        public var seconds: Int?
        public var since: Timestamp?

        public init(
            maximumMessages: Int? = nil, maximumCharacters: Int? = nil, seconds: Int? = nil, since: Timestamp? = nil
        ) {
            self.maximumMessages = maximumMessages
            self.maximumCharacters = maximumCharacters
            self.seconds = seconds
            self.since = since
        }

        /// No history, for clients that read the archive of the room.
        ///
        /// The specification uses a limit of zero characters; services that do not support this support the other
        /// limit.
        public static var none: History { History(maximumMessages: 0, maximumCharacters: 0) }
    }

    public static let name = XMLName("x", RoomNames.entrance)

    public var password: String?
    /// `nil` leaves it to the room.
    public var history: History?

    public init(password: String? = nil, history: History? = nil) {
        self.password = password
        self.history = history
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        password = element.firstChild(Self.passwordName)?.text
        if let child = element.firstChild(Self.historyName) {
            let since = child["since"]
            if let since, Timestamp(since) == nil {
                throw XMLDecodingError(Self.historyName, .invalidAttribute("since", value: since))
            }
            history = History(
                maximumMessages: try child.value("maxstanzas", as: Int.self),
                maximumCharacters: try child.value("maxchars", as: Int.self),
                seconds: try child.value("seconds", as: Int.self), since: since.flatMap(Timestamp.init))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        if let password { writer.element(Self.passwordName, text: password) }
        if let history {
            writer.start(Self.historyName)
            writer.attribute("maxchars", history.maximumCharacters.map(String.init))
            writer.attribute("maxstanzas", history.maximumMessages.map(String.init))
            writer.attribute("seconds", history.seconds.map(String.init))
            writer.attribute("since", history.since?.description)
            writer.end()
        }
        writer.end()
    }

    private static let passwordName = XMLName("password", RoomNames.entrance)
    private static let historyName = XMLName("history", RoomNames.entrance)
}

/// The namespaces of XEP-0045 that more than one payload needs.
enum RoomNames {
    static let entrance = "http://jabber.org/protocol/muc"
    static let user = entrance + "#user"
    static let administration = entrance + "#admin"
    static let owner = entrance + "#owner"
    static let configuration = entrance + "#roomconfig"
    static let information = entrance + "#roominfo"
}
