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

    public init(
        metadata: FileMetadata, urls: [String], disposition: Disposition? = .inline, id: String? = nil
    ) {
        self.metadata = metadata
        self.urls = urls
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
        urls = []
        if let sources = element.firstChild(Self.sourcesName) {
            urls = sources.children.filter { $0.isNamed(Self.urlDataName) }.compactMap { $0["target"] }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("disposition", disposition?.rawValue)
        writer.attribute("id", id)
        metadata.encode(to: &writer)
        writer.start(Self.sourcesName)
        for url in urls {
            writer.start(Self.urlDataName)
            writer.attribute("target", url)
            writer.end()
        }
        writer.end()
        writer.end()
    }

    private static let sourcesName = XMLName("sources", name.namespace)
    private static let urlDataName = XMLName("url-data", "http://jabber.org/protocol/url-data")
}
