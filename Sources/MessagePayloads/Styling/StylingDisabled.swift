public import XMLStreaming
public import XMPPStanzas

/// Says that the text of the message means only what it says (XEP-0393 Message Styling §7).
///
/// ```
/// C: <message><body>> _ <</body><unstyled xmlns='urn:xmpp:styling:0'/></message>
/// ```
public struct StylingDisabled: MessagePayload, Hashable {
    public static let name = XMLName("unstyled", "urn:xmpp:styling:0")

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}

extension Message {
    /// The body with its styling; plain if the sender wants it so.
    ///
    /// - Parameter understood: The namespaces of the payloads whose fallback text is to be left out.
    public func styledBody(withoutFallbackFor understood: Set<String> = []) -> StyledText? {
        guard let body = body(withoutFallbackFor: understood) else { return nil }
        return payloads.contains(StylingDisabled.name) ? StyledText(plain: body) : StyledText(body)
    }
}
