public import XMLStreaming

/// Something to switch on together with the binding of a resource (XEP-0386 §4.2), which saves a round trip and leaves no
/// moment in which it is off.
///
///     C: <bind xmlns='urn:xmpp:bind:0'><tag>Hongyan</tag><enable xmlns='urn:xmpp:carbons:2'/></bind>
public struct BindRequest: Hashable, Sendable {
    /// The namespace under which a server lists it; where it does not, nothing is sent.
    public let feature: String
    /// The element to send.
    public let element: XMLElement

    public init(feature: String, element: XMLElement) {
        self.feature = feature
        self.element = element
    }
}
