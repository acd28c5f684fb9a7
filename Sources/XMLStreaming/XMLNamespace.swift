/// The namespaces that the parser and the writer treat specially.
public enum XMLNamespace {
    /// Always bound to the prefix `xml` (Namespaces in XML 1.0 §3).
    public static let xml = "http://www.w3.org/XML/1998/namespace"
    /// Always bound to the prefix `xmlns`, never declared (Namespaces in XML 1.0 §3).
    public static let xmlns = "http://www.w3.org/2000/xmlns/"
    /// The namespace of the stream element itself, by custom bound to the prefix `stream` (RFC 6120 §4.8.1).
    public static let streams = "http://etherx.jabber.org/streams"

    static let xmlBytes = Array(xml.utf8)
    static let xmlnsBytes = Array(xmlns.utf8)
    static let streamsBytes = Array(streams.utf8)
}
