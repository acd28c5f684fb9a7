public import XMLStreaming
public import XMPPStanzas

/// A file offered in a message, with its sources (XEP-0447 Stateless file sharing §3).
///
/// ```
/// C: <file-sharing xmlns='urn:xmpp:sfs:0' disposition='inline'>
///      <file xmlns='urn:xmpp:file:metadata:0'>…</file>
///      <sources><url-data xmlns='http://jabber.org/protocol/url-data' target='https://…/summit.jpg'/></sources>
///    </file-sharing>
/// ```
public struct SharedFile: MessagePayload, Equatable {
    /// How the receiver should present the file.
    public enum Disposition: String, Sendable {
        /// Shown in the conversation, and downloaded automatically if the user allows it.
        case inline
        /// Shown as an attachment; downloaded only on request.
        case attachment
    }

    public static let name = XMLName("file-sharing", "urn:xmpp:sfs:0")

    public var metadata: FileMetadata
    public var disposition: Disposition?
    /// Identifies the offer inside its message.
    public var id: String?
    /// URLs, best first. Sources of other kinds are ignored.
    public var urls: [String]
    /// Encrypted sources, best first. Those that cannot be used are ignored.
    public var encrypted: [EncryptedSource]

    public init(
        metadata: FileMetadata, urls: [String], encrypted: [EncryptedSource] = [],
        disposition: Disposition? = .inline, id: String? = nil
    ) {
        self.metadata = metadata
        self.urls = urls
        self.encrypted = encrypted
        self.disposition = disposition
        self.id = id
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let file = element.firstChild(FileMetadata.name) else {
            throw XMLDecodingError(Self.name, .missingElement(FileMetadata.name))
        }
        metadata = try FileMetadata(from: file)
        disposition = element["disposition"].flatMap(Disposition.init(rawValue:))
        id = element["id"]
        urls = Self.urls(in: element)
        encrypted = Self.sources(EncryptedSource.name, in: element).compactMap { try? EncryptedSource(from: $0) }
    }

    /// The URLs among the sources in an element.
    static func urls(in element: XMLElement) -> [String] {
        sources(urlDataName, in: element).compactMap { $0["target"] }
    }

    private static func sources(_ name: XMLName, in element: XMLElement) -> [XMLElement] {
        guard let sources = element.firstChild(sourcesName) else { return [] }
        return sources.children.filter { $0.isNamed(name) }.prefix(maximumSources).map { $0 }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("disposition", disposition?.rawValue)
        writer.attribute("id", id)
        metadata.encode(to: &writer)
        writer.start(Self.sourcesName)
        for source in encrypted { source.encode(to: &writer) }
        Self.encode(urls, to: &writer)
        writer.end()
        writer.end()
    }

    static func encode(_ urls: [String], to writer: inout XMLWriter) {
        for url in urls {
            writer.start(urlDataName)
            writer.attribute("target", url)
            writer.end()
        }
    }

    /// Sources of one kind that are read: more copies of a file are of no use.
    private static let maximumSources = 10
    /// The element around the sources.
    public static let sourcesName = XMLName("sources", name.namespace)
    private static let urlDataName = XMLName("url-data", "http://jabber.org/protocol/url-data")
}
