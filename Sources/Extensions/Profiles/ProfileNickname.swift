public import XMLStreaming
public import XMPPStanzas

/// The name that somebody goes by (XEP-0172 User Nickname).
///
/// ```
/// <nick xmlns='http://jabber.org/protocol/nick'>Ishmael</nick>
/// ```
///
/// Not to be mistaken for the name in the own contact list: a stranger can call itself like a friend (§5).
public struct ProfileNickname: MessagePayload, PresencePayload, Hashable {
    public static let name = XMLName("nick", "http://jabber.org/protocol/nick")
    /// The node of personal events that holds this.
    public static let node = name.namespace
    /// Longer ones are cut: they would fill the screen.
    static let limit = 256

    public var text: String

    public init(_ text: String) {
        self.text = text
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        text = String(element.text.prefix(Self.limit))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: text)
    }
}
