public import MessageFeatures
public import XMLStreaming
public import XMPPStanzas

/// The first and the last message of an archive (XEP-0313 Message Archive Management §5).
///
/// ```
/// C: <iq type='get'><metadata xmlns='urn:xmpp:mam:2'/></iq>
/// S: <iq type='result'><metadata xmlns='urn:xmpp:mam:2'>
///      <start id='YWxwaGEg' timestamp='2008-08-22T21:09:04Z'/><end id='b21lZ2Eg' timestamp='2020-04-20T14:34:21Z'/>
///    </metadata></iq>
/// ```
public struct ArchiveMetadata: IQResponse, XMLPayload, Hashable {
    /// A message at one end of the archive.
    public struct End: Sendable, Hashable {
        public var id: String
        public var timestamp: Timestamp

        public init(id: String, timestamp: Timestamp) {
            self.id = id
            self.timestamp = timestamp
        }
    }

    public static let name = XMLName("metadata", ArchiveQuery.name.namespace)
    private static let startName = XMLName("start", name.namespace)
    private static let endName = XMLName("end", name.namespace)

    /// The oldest message; `nil` for an empty archive.
    public var start: End?
    /// The newest message; `nil` for an empty archive.
    public var end: End?

    public init(start: End? = nil, end: End? = nil) {
        self.start = start
        self.end = end
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        start = try Self.end(element.firstChild(Self.startName))
        end = try Self.end(element.firstChild(Self.endName))
    }

    private static func end(_ element: XMLElement?) throws(XMLDecodingError) -> End? {
        guard let element else { return nil }
        guard let timestamp: Timestamp = try element.value("timestamp") else {
            throw XMLDecodingError(element.name, .missingAttribute("timestamp"))
        }
        return End(id: try element.required("id"), timestamp: timestamp)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for (name, end) in [(Self.startName, start), (Self.endName, end)] {
            guard let end else { continue }
            writer.start(name)
            writer.attribute("id", end.id)
            writer.attribute("timestamp", end.timestamp.description)
            writer.end()
        }
        writer.end()
    }
}

/// Requests the first and the last message of an archive (XEP-0313 Message Archive Management §5).
public struct ArchiveMetadataRequest: IQRequest, EmptyPayload, Hashable {
    public typealias Response = ArchiveMetadata

    public static let name = ArchiveMetadata.name

    public init() {}
}

/// The features of an archive, as announced by service discovery (XEP-0313 Message Archive Management §7).
public struct ArchiveCapabilities: Sendable, Hashable {
    /// Whether there is an archive.
    public var isAvailable: Bool
    /// Whether it finds messages by their ids, returns pages in reverse order, and provides metadata.
    public var isExtended: Bool
    /// Whether it supports ``ArchiveFilter/includesGroupChat``.
    public var understandsGroupChatField: Bool
    /// Whether it stores messages of rooms in the account's archive.
    public var hasGroupChat: Bool
    /// Whether it adds the ids of the archive to live messages, so that they can be trusted (XEP-0359).
    public var assignsIdentifiers: Bool

    init(features: Set<String>) {
        let namespace = ArchiveQuery.name.namespace
        isAvailable = features.contains(namespace)
        isExtended = features.contains(namespace + "#extended")
        understandsGroupChatField = features.contains(namespace + "#groupchat-field")
        hasGroupChat = features.contains(namespace + "#groupchat-available")
        // An archive of this version always assigns ids (XEP-0313 §3.5).
        assignsIdentifiers = isAvailable || features.contains("urn:xmpp:sid:0")
    }
}
