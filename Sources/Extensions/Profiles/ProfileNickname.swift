public import XMLStreaming
public import XMPPStanzas

/// The nickname that a user has chosen (XEP-0172 User Nickname).
///
/// ```
/// <nick xmlns='http://jabber.org/protocol/nick'>Ishmael</nick>
/// ```
///
/// Do not confuse it with the name in our contact list: a stranger can choose the name of a contact (§5).
public struct ProfileNickname: MessagePayload, PresencePayload, Hashable {
    public static let name = XMLName("nick", "http://jabber.org/protocol/nick")
    /// The personal event node for this data.
    public static let node = name.namespace
    /// Characters. Longer nicknames are truncated: they would fill the screen.
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
