/// The expanded name of an element or attribute: its local part and its namespace (Namespaces in XML 1.0 §2.1).
///
/// Prefixes are not part of a name: `<stream:error/>` and `<error xmlns='http://etherx.jabber.org/streams'/>` have the
/// same name.
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

/// The namespaces that the parser and the writer treat specially.
public enum XMLNamespace {
    /// Always bound to the prefix `xml` (Namespaces in XML 1.0 §3).
    public static let xml = "http://www.w3.org/XML/1998/namespace"
    /// Always bound to the prefix `xmlns`, never declared (Namespaces in XML 1.0 §3).
    public static let xmlns = "http://www.w3.org/2000/xmlns/"
    /// The namespace of the stream element itself, by convention bound to the prefix `stream` (RFC 6120 §4.8.1).
    public static let streams = "http://etherx.jabber.org/streams"

    static let xmlBytes = Array(xml.utf8)
    static let xmlnsBytes = Array(xmlns.utf8)
    static let streamsBytes = Array(streams.utf8)
}
