public import XMLStreaming

/// Reads the stanzas of one stream: keeps the addresses seen last between one stanza and the next.
public struct StanzaDecoder: Sendable {
    private var addresses = AddressCache(keeping: ())

    public init() {}

    /// The stanza that a top-level element is, or `nil` if it is something else.
    ///
    /// Throws when the element is a stanza that cannot be read, for instance because of a bad address:
    /// ``IQ/rejection(of:)`` gives the answer that a request deserves then.
    public mutating func decode(_ element: XMLElement) throws(XMLDecodingError) -> AnyStanza? {
        if Message.isName(of: element) { return .message(try Message.read(element, addresses: &addresses)) }
        if Presence.isName(of: element) { return .presence(try Presence.read(element, addresses: &addresses)) }
        if IQ.isName(of: element) { return .iq(try IQ.read(element, addresses: &addresses)) }
        return nil
    }
}
