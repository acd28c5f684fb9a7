/// The expanded name of an element or attribute: its local part and its namespace (Namespaces in XML 1.0 §2.1).
///
/// Prefixes are no part of a name: `<stream:error/>` and `<error xmlns='http://etherx.jabber.org/streams'/>` have the
/// same one.
public struct XMLName: Hashable, Sendable, CustomStringConvertible {
    /// The part after the prefix, such as `message`.
    public var local: String
    /// The namespace, such as `jabber:client`; empty for a name in no namespace.
    public var namespace: String

    public init(_ local: String, _ namespace: String) {
        self.local = local
        self.namespace = namespace
    }

    /// The name in James Clark's notation: `{jabber:client}message`.
    public var description: String { namespace.isEmpty ? local : "{\(namespace)}\(local)" }
}

extension XMLName {
    /// `xml:lang`, the language of an element and of what it contains (XML 1.0 §2.12).
    public static let language = XMLName("lang", XMLNamespace.xml)
    /// `stream:stream`, the root of a stream (RFC 6120 §4.2).
    public static let stream = XMLName("stream", XMLNamespace.streams)
}
