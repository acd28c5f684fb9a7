public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// What a room adds to presence and messages: the state of an occupant, status codes, invitations (XEP-0045 Multi-User
/// Chat §17.4).
///
/// ```
/// S: <presence from='coven@chat.shakespeare.lit/thirdwitch'><x xmlns='http://jabber.org/protocol/muc#user'>
///      <item affiliation='member' role='participant'/><status code='110'/></x></presence>
/// ```
public struct RoomUser: PresencePayload, MessagePayload, Equatable {
    /// A status code (§15.6.2). More may be added.
    public struct Status: RawRepresentable, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The configuration changed.
        public static let configurationChanged = Status(rawValue: 104)
        /// The presence is our own.
        public static let own = Status(rawValue: 110)
        /// The conversation is logged.
        public static let logged = Status(rawValue: 170)
        /// The room was created for this account and must be configured.
        public static let created = Status(rawValue: 201)
        /// The room assigned a nickname other than the requested one.
        public static let nicknameAssigned = Status(rawValue: 210)
        public static let banned = Status(rawValue: 301)
        /// An occupant changes the nickname.
        public static let renamed = Status(rawValue: 303)
        public static let kicked = Status(rawValue: 307)
        public static let affiliationChanged = Status(rawValue: 321)
        /// The room became members-only.
        public static let membersOnly = Status(rawValue: 322)
        public static let shutDown = Status(rawValue: 332)
        /// Removed because of an error, such as a lost connection between servers.
        public static let technical = Status(rawValue: 333)
    }

    /// The room was destroyed (§10.9).
    public struct Destruction: Sendable, Hashable {
        /// The room to use instead.
        public var alternative: JID?
        public var reason: String?
        public var password: String?

        public init(alternative: JID? = nil, reason: String? = nil, password: String? = nil) {
            self.alternative = alternative
            self.reason = reason
            self.password = password
        }
    }

    public static let name = XMLName("x", RoomNames.user)

    public var item: RoomItem?
    public var statuses: Set<Status>
    public var destruction: Destruction?
    public var invitations: [MediatedInvitation]
    public var refusal: MediatedInvitation?
    /// The password of the room, in an invitation.
    public var password: String?

    public init(
        item: RoomItem? = nil, statuses: Set<Status> = [], destruction: Destruction? = nil,
        invitations: [MediatedInvitation] = [], refusal: MediatedInvitation? = nil, password: String? = nil
    ) {
        self.item = item
        self.statuses = statuses
        self.destruction = destruction
        self.invitations = invitations
        self.refusal = refusal
        self.password = password
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init()
        for child in element.children where child.namespace == RoomNames.user {
            switch child.localName {
            case "item": item = try RoomItem(reading: child)
            case "status":
                if let code = child["code"].flatMap({ Int($0) }) { statuses.insert(Status(rawValue: code)) }
            case "destroy": destruction = Destruction(reading: child)
            case "invite": invitations.append(try MediatedInvitation(reading: child))
            case "decline": refusal = try MediatedInvitation(reading: child)
            case "password": password = child.text
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for invitation in invitations { invitation.encode(to: &writer, as: "invite") }
        refusal?.encode(to: &writer, as: "decline")
        item?.encode(to: &writer, namespace: RoomNames.user)
        destruction?.encode(to: &writer, namespace: RoomNames.user)
        if let password { writer.element(XMLName("password", RoomNames.user), text: password) }
        for status in statuses.sorted(by: { $0.rawValue < $1.rawValue }) {
            writer.start(XMLName("status", RoomNames.user))
            writer.attribute("code", String(status.rawValue))
            writer.end()
        }
        writer.end()
    }
}

extension RoomUser.Destruction {
    init(reading element: XMLElement) {
        let namespace = element.namespace
        alternative = element["jid"].flatMap { try? JID($0) }
        reason = element.firstChild(XMLName("reason", namespace))?.text
        password = element.firstChild(XMLName("password", namespace))?.text
    }

    func encode(to writer: inout XMLWriter, namespace: String) {
        writer.start(XMLName("destroy", namespace))
        writer.attribute("jid", alternative?.description)
        if let password { writer.element(XMLName("password", namespace), text: password) }
        if let reason { writer.element(XMLName("reason", namespace), text: reason) }
        writer.end()
    }
}
