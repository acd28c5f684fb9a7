public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// An invitation into a room that goes straight to the invited (XEP-0249 Direct MUC Invitations).
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
    /// Whether the invitation continues a conversation between two.
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
