public import XMLStreaming

/// Facts about a file that are sent with the offer (XEP-0446 File metadata element).
///
/// ```
/// C: <file xmlns='urn:xmpp:file:metadata:0'>
///      <media-type>image/jpeg</media-type><name>summit.jpg</name><size>3032449</size>
///      <width>4096</width><height>2160</height>
///      <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>…</hash></file>
/// ```
public struct FileMetadata: XMLPayload, Equatable {
    public static let name = XMLName("file", "urn:xmpp:file:metadata:0")

    public var mediaType: String?
    /// The name from the sender. It may contain path separators: pass it through `SafeFileName` of FileSharing before using it in
    /// a file system (§3).
    public var fileName: String?
    /// Size in bytes.
    public var size: UInt64?
    /// Width in pixels.
    public var width: Int?
    /// Height in pixels.
    public var height: Int?
    /// The duration of sound or video, in milliseconds.
    public var length: Int?
    /// The time of the last modification.
    public var date: Timestamp?
    public var description: String?
    public var hashes: [FileHash]

    public init(
        mediaType: String? = nil, fileName: String? = nil, size: UInt64? = nil, width: Int? = nil, height: Int? = nil,
        length: Int? = nil, date: Timestamp? = nil, description: String? = nil, hashes: [FileHash] = []
    ) {
        self.mediaType = mediaType
        self.fileName = fileName
        self.size = size
        self.width = width
        self.height = height
        self.length = length
        self.date = date
        self.description = description
        self.hashes = hashes
    }

    /// Every child is optional, and an invalid one is ignored: a file with an invalid date is still a file.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init()
        for child in element.children {
            if child.isNamed(FileHash.name) {
                if let hash = try? FileHash(from: child) { hashes.append(hash) }
                continue
            }
            guard child.name.namespace == Self.name.namespace else { continue }
            let text = child.text
            switch child.name.local {
            case "media-type": mediaType = text
            case "name": fileName = text
            case "size": size = UInt64(text)
            case "width": width = Int(text).flatMap { $0 >= 0 ? $0 : nil }
            case "height": height = Int(text).flatMap { $0 >= 0 ? $0 : nil }
            case "length": length = Int(text).flatMap { $0 >= 0 ? $0 : nil }
            case "date": date = Timestamp(text)
            case "desc": description = description ?? text
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        func write(_ local: String, _ text: String?) {
            if let text { writer.element(XMLName(local, Self.name.namespace), text: text) }
        }
        writer.start(Self.name)
        write("media-type", mediaType)
        write("name", fileName)
        write("size", size.map(String.init))
        write("width", width.map(String.init))
        write("height", height.map(String.init))
        write("length", length.map(String.init))
        write("date", date?.description)
        write("desc", description)
        for hash in hashes { hash.encode(to: &writer) }
        writer.end()
    }
}
