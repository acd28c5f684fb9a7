public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// An invitation, or its refusal, that is sent through the room (XEP-0045 Multi-User Chat §7.8.2).
///
/// ```
/// C: <message to='coven@chat.shakespeare.lit'><x xmlns='http://jabber.org/protocol/muc#user'>
///      <invite to='hecate@shakespeare.lit'><reason>Hey Hecate, this is the place for all good witches!</reason></invite>
///    </x></message>
/// ```
public struct MediatedInvitation: Sendable, Hashable {
    /// The user to whom the room forwards it.
    public var to: JID?
    /// The user who invites or declines, as stated by the room.
    public var from: JID?
    public var reason: String?
    /// The conversation that is continued in the room.
    public var thread: String?
    /// Whether the invitation continues a one-to-one conversation (§7.9).
    public var isContinuation: Bool

    public init(
        to: JID? = nil, from: JID? = nil, reason: String? = nil, thread: String? = nil, isContinuation: Bool = false
    ) {
        self.to = to
        self.from = from
        self.reason = reason
        self.thread = thread
        self.isContinuation = isContinuation || thread != nil
    }

    init(reading element: XMLElement) throws(XMLDecodingError) {
        to = try element.address("to")
        from = try element.address("from")
        reason = element.firstChild(Self.reasonName)?.text
        let continuation = element.firstChild(Self.continueName)
        isContinuation = continuation != nil
        thread = continuation?["thread"]
    }

    func encode(to writer: inout XMLWriter, as local: String) {
        writer.start(XMLName(local, RoomNames.user))
        writer.attribute("from", from?.description)
        writer.attribute("to", to?.description)
        if let reason { writer.element(Self.reasonName, text: reason) }
        if isContinuation {
            writer.start(Self.continueName)
            writer.attribute("thread", thread)
            writer.end()
        }
        writer.end()
    }

    private static let reasonName = XMLName("reason", RoomNames.user)
    private static let continueName = XMLName("continue", RoomNames.user)
}

/// An invitation into a room that is sent directly to the invited user (XEP-0249 Direct MUC Invitations).
///
/// ```
/// C: <message to='hecate@shakespeare.lit'><x xmlns='jabber:x:conference' jid='darkcave@macbeth.shakespeare.lit'
///      password='cauldronburn' reason='Hey Hecate, this is the place for all good witches!'/></message>
/// ```
public struct DirectInvitation: MessagePayload, Hashable {
    public static let name = XMLName("x", "jabber:x:conference")

    public var room: JID
    public var password: String?
    public var reason: String?
    /// Whether the invitation continues a one-to-one conversation.
    public var isContinuation: Bool
    public var thread: String?

    public init(
        room: JID, password: String? = nil, reason: String? = nil, isContinuation: Bool = false, thread: String? = nil
    ) {
        self.room = room
        self.password = password
        self.reason = reason
        self.isContinuation = isContinuation
        self.thread = thread
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let text = try element.required("jid")
        guard let room = try? JID(text), room.isBare else {
            throw XMLDecodingError(Self.name, .invalidAttribute("jid", value: text))
        }
        self.room = room
        password = element["password"]
        reason = element["reason"]
        isContinuation = try element.boolean("continue") ?? false
        thread = element["thread"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("jid", room.description)
        writer.attribute("password", password)
        writer.attribute("reason", reason)
        writer.attribute("continue", isContinuation ? "true" : nil)
        writer.attribute("thread", thread)
        writer.end()
    }
}
