import XMLStreaming

/// What a server does together with the login: the `<inline/>` of XEP-0388 §2.1.
///
///     <inline>
///       <bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>
///       <sm xmlns='urn:xmpp:sm:3'/>
///       <fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-EXPR</mechanism></fast>
///     </inline>
public struct InlineOffer: Hashable, Codable, Sendable {
    /// Whether an earlier session can be resumed (XEP-0198 §9.2).
    public var resumes = false
    /// Whether a resource can be bound (XEP-0386).
    public var binds = false
    /// The namespaces of what can be switched on together with the binding.
    public var bindFeatures: Set<String> = []
    /// The mechanisms for which tokens are given out (XEP-0484); `nil` where none are.
    public var tokenMechanisms: [String]?

    /// Nothing.
    public init() {}

    /// What stands in the features of a stream.
    public init(_ features: StreamFeatures) {
        guard let inline = features.element?.firstChild(StreamName.authentication)?.firstChild(StreamName.inline) else {
            return
        }
        resumes = inline.firstChild(StreamName.management) != nil
        if let bind = inline.firstChild(StreamName.bind2) {
            binds = true
            bindFeatures = Set(
                bind.firstChild(StreamName.bind2Inline)?.children
                    .filter { $0.isNamed(StreamName.bind2Feature) }
                    .compactMap { $0["var"] } ?? [])
        }
        tokenMechanisms = inline.firstChild(StreamName.fast)?.children
            .filter { $0.isNamed(StreamName.fastMechanism) }
            .map { $0.text.trimmingXMLWhitespace() }
    }
}
