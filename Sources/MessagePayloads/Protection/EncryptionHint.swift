public import XMLStreaming
public import XMPPStanzas

/// Names the encryption of a message for programs that cannot decrypt it (XEP-0380 Explicit Message Encryption).
///
/// ```
/// <encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2'/>
/// ```
///
/// It is a claim of the sender, outside of what is encrypted: it never makes a message count as encrypted.
public struct EncryptionHint: MessagePayload, Hashable {
    public static let name = XMLName("encryption", "urn:xmpp:eme:0")
    /// Bytes of a namespace or name. Longer ones are no namespace, and would fill a line of the conversation.
    static let limit = 256

    /// The namespace of the encryption.
    public var namespace: String
    /// What the sender calls an encryption that XEP-0380 §3.2 does not list.
    public var title: String?

    public init(_ namespace: String, title: String? = nil) {
        self.namespace = namespace
        self.title = title
    }

    /// What people call the encryption: by the table of XEP-0380 §3.2, otherwise as the sender does.
    public var knownName: String? { Self.names[namespace] ?? title }

    /// What a program shows that knows neither the encryption nor this element: the body beside the encrypted content
    /// (XEP-0380 §4). It is in English, as the language of its readers is not known.
    public var fallbackBody: String {
        "This message is encrypted with \(knownName ?? namespace). Your program cannot decrypt it."
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        namespace = try element.required("namespace")
        guard !namespace.isEmpty, namespace.utf8.count <= Self.limit else {
            throw XMLDecodingError(Self.name, .invalidAttribute("namespace", value: String(namespace.prefix(32))))
        }
        title = element["name"].flatMap { $0.isEmpty || $0.utf8.count > Self.limit ? nil : $0 }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name) { writer in
            writer.attribute("namespace", namespace)
            writer.attribute("name", Self.names[namespace] == nil ? title : nil)
        }
    }

    private static let names = [
        "urn:xmpp:otr:0": "OTR", "jabber:x:encrypted": "Legacy OpenPGP", "urn:xmpp:openpgp:0": "OpenPGP for XMPP",
        "eu.siacs.conversations.axolotl": "OMEMO", "urn:xmpp:omemo:1": "OMEMO 1", "urn:xmpp:omemo:2": "OMEMO 2",
    ]
}
