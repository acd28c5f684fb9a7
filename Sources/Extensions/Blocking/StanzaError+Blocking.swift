internal import XMLStreaming
public import XMPPStanzas

extension StanzaError {
    /// Whether the stanza was refused because I blocked its receiver (XEP-0191 §3.3).
    public var isBecauseOfOwnBlock: Bool {
        applicationCondition?.isNamed(XMLName("blocked", BlockRequest.namespace + ":errors")) ?? false
    }
}
