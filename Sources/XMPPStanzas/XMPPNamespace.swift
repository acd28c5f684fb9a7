/// The namespaces that RFC 6120 and RFC 6121 give to streams and stanzas.
///
/// A module that adds a protocol adds its own namespaces in an extension of this type or keeps them beside its
/// payloads.
public enum XMPPNamespace {
    /// The content namespace of a stream between client and server (RFC 6120 §4.8.2).
    public static let client = "jabber:client"
    /// The content namespace of a stream between two servers (RFC 6120 §4.8.2).
    public static let server = "jabber:server"
    /// The namespace of the conditions inside a stanza error (RFC 6120 §8.3.2).
    public static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    /// The namespace of the conditions inside a stream error (RFC 6120 §4.9.2).
    public static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
}
