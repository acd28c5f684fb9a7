internal import OMEMO
internal import XMLStreaming

/// The request of an account for messages without encryption (XEP-0384 §5.7). It is inside an envelope.
///
/// ```
/// <opt-out xmlns='urn:xmpp:omemo:2'><reason>Our archive must have it.</reason></opt-out>
/// ```
enum OptOut {
    static let name = XMLName("opt-out", OMEMOGeneration.current.namespace)
    /// Characters of a reason: some sentences.
    private static let reasonLimit = 1_000

    /// What the other person says about it; `nil` for nothing.
    static func reason(in element: XMLElement) -> String? {
        guard let text = element.firstChild(XMLName("reason", name.namespace))?.text else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(reasonLimit)
        return words.isEmpty ? nil : String(words)
    }
}
