public import MessagePayloads
internal import XMLStreaming

/// A file that is offered to one device (XEP-0234 Jingle File Transfer §5).
///
/// ```
/// <description xmlns='urn:xmpp:jingle:apps:file-transfer:5'><file><media-type>text/plain</media-type>
///    <name>test.txt</name><size>6144</size><hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>…</hash></file></description>
/// ```
public struct OfferedFile: Sendable, Equatable {
    /// A part of a file, in bytes.
    public struct Part: Sendable, Hashable {
        public var offset: UInt64
        /// `nil` for everything from the offset on.
        public var length: UInt64?

        public init(offset: UInt64, length: UInt64? = nil) {
            self.offset = offset
            self.length = length
        }
    }

    static let namespace = "urn:xmpp:jingle:apps:file-transfer:5"
    static let descriptionName = XMLName("description", namespace)
    static let fileName = XMLName("file", namespace)
    /// The maximum number of characters of a name or a text that are read.
    private static let textLimit = 1024
    /// The maximum number of hashes that are read.
    private static let hashLimit = 8

    /// The name from the sender. It may contain path separators: pass it through `SafeFileName` before using it in a
    /// file system (§9).
    public var name: String?
    public var mediaType: String?
    /// In bytes. An offer without a size is declined, because it is unknown when it is complete.
    public var size: UInt64?
    public var date: Timestamp?
    public var description: String?
    public var hashes: [FileHash]
    /// The function of a hash that follows after the bytes (§8.2).
    public var hashAlgorithm: String?
    /// Small pictures of the file (XEP-0264).
    public var thumbnails: [Thumbnail] = []
    /// The part that is transferred; an empty element means that the sender can begin anywhere.
    public var part: Part?

    public init(
        name: String? = nil, mediaType: String? = nil, size: UInt64? = nil, date: Timestamp? = nil,
        description: String? = nil, hashes: [FileHash] = [], part: Part? = nil
    ) {
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.date = date
        self.description = description
        self.hashes = hashes
        self.part = part
    }

    /// Reads a `<description/>`. Invalid children are ignored.
    init(from description: XMLElement) throws(XMLDecodingError) {
        try description.requireName(Self.descriptionName)
        self.init(reading: try description.required(Self.fileName))
    }

    init(reading element: XMLElement) {
        self.init()
        for child in element.children {
            if child.isNamed(FileHash.name) {
                if hashes.count < Self.hashLimit, let hash = try? FileHash(from: child) { hashes.append(hash) }
                continue
            }
            if child.isNamed(Thumbnail.name), thumbnails.count < Thumbnail.limit,
                let picture = try? Thumbnail(from: child)
            {
                thumbnails.append(picture)
            }
            if child.isNamed(Self.hashUsedName) { hashAlgorithm = child["algo"]?.lowercased() }
            guard child.namespace == Self.namespace else { continue }
            switch child.localName {
            case "name": name = String(child.text.prefix(Self.textLimit))
            case "media-type": mediaType = String(child.text.prefix(Self.textLimit))
            case "size": size = UInt64(child.text)
            case "date": date = Timestamp(child.text)
            case "desc" where description == nil: description = String(child.text.prefix(Self.textLimit))
            case "range":
                part = Part(
                    offset: child["offset"].flatMap { UInt64($0) } ?? 0, length: child["length"].flatMap { UInt64($0) })
            default: break
            }
        }
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(Self.descriptionName)
        encodeFile(to: &writer)
        writer.end()
    }

    func encodeFile(to writer: inout XMLWriter) {
        func write(_ local: String, _ text: String?) {
            if let text { writer.element(XMLName(local, Self.namespace), text: text) }
        }
        writer.start(Self.fileName)
        write("date", date?.description)
        write("desc", description)
        write("media-type", mediaType)
        write("name", name)
        if let part {
            writer.start(XMLName("range", Self.namespace))
            writer.attribute("length", part.length.map { String($0) })
            writer.attribute("offset", part.offset == 0 ? nil : String(part.offset))
            writer.end()
        }
        write("size", size.map { String($0) })
        for hash in hashes { hash.encode(to: &writer) }
        for thumbnail in thumbnails { thumbnail.encode(to: &writer) }
        if let hashAlgorithm {
            writer.start(Self.hashUsedName)
            writer.attribute("algo", hashAlgorithm)
            writer.end()
        }
        writer.end()
    }

    private static let hashUsedName = XMLName("hash-used", FileHash.name.namespace)
}

/// What both sides tell each other while a file is transferred (XEP-0234 Jingle File Transfer §8).
public enum TransferInformation: Sendable, Equatable {
    /// The receiver has the whole file (§8.1).
    case received(content: String)
    /// The hashes of the file, from the sender (§8.2).
    case checksum(content: String, [FileHash])

    /// - Returns: `nil` for other information, and for a session that is only kept alive.
    init?(in element: XMLElement) throws(XMLDecodingError) {
        if let received = element.firstChild(Self.receivedName) {
            self = .received(content: try received.required("name"))
        } else if let checksum = element.firstChild(Self.checksumName) {
            let file = OfferedFile(reading: try checksum.required(OfferedFile.fileName))
            self = .checksum(content: try checksum.required("name"), file.hashes)
        } else {
            return nil
        }
    }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .received(let content):
            writer.start(Self.receivedName)
            writer.attribute("creator", "initiator")
            writer.attribute("name", content)
        case .checksum(let content, let hashes):
            writer.start(Self.checksumName)
            writer.attribute("creator", "initiator")
            writer.attribute("name", content)
            OfferedFile(hashes: hashes).encodeFile(to: &writer)
        }
        writer.end()
    }

    private static let receivedName = XMLName("received", OfferedFile.namespace)
    private static let checksumName = XMLName("checksum", OfferedFile.namespace)
}
