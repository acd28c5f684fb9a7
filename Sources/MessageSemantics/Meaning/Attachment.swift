public import MessagePayloads

/// A file that belongs to a message: what is known of it, and where its content is.
///
/// The name comes from the network. It is for showing only; content is found by its hash, never by a name.
public struct Attachment: Hashable, Sendable, Codable {
    /// What a person does with it.
    public typealias Kind = FileKind

    public var kind: Kind
    public var mediaType: String?
    public var name: String?
    /// In bytes.
    public var size: Int64?
    /// In pixels.
    public var width: Int?
    public var height: Int?
    /// In milliseconds.
    public var duration: Int64?
    /// Where it can be fetched.
    public var url: String?
    /// The SHA-256 of the content in lower-case hexadecimal digits: its name in the content-addressed cache.
    public var contentHash: String?
    /// The hash stands for content that is on this device.
    public var isLocal: Bool
    /// A small picture to show while the content is not here.
    public var thumbnail: [UInt8]?
    /// Where playing it was left, in milliseconds: zero if it was played to its end, `nil` before it was played for the first
    /// time.
    public var playback: Int64?

    public init(
        kind: Kind, mediaType: String? = nil, name: String? = nil, size: Int64? = nil, width: Int? = nil,
        height: Int? = nil, duration: Int64? = nil, url: String? = nil, contentHash: String? = nil,
        isLocal: Bool = false, thumbnail: [UInt8]? = nil, playback: Int64? = nil
    ) {
        self.kind = kind
        self.mediaType = mediaType
        self.name = name
        self.size = size
        self.width = width
        self.height = height
        self.duration = duration
        self.url = url
        self.contentHash = contentHash
        self.isLocal = isLocal
        self.thumbnail = thumbnail
        self.playback = playback
    }
}

extension Attachment {
    /// What a message says about a file that it offers.
    ///
    /// - Parameter digest: the SHA-256 of a content that came inside the message, in lower-case hexadecimal digits.
    init(_ offer: FileOffer, digest: ([UInt8]) -> String?) {
        var url: String?
        if case .addresses(let addresses) = offer.source { url = addresses.first }
        var hash = offer.metadata.hashes.lazy.compactMap(\.sha256).first
        // What came inside the message needs nobody's word.
        if case .content(let bytes) = offer.source { hash = digest(bytes) }
        self.init(
            kind: offer.kind, mediaType: offer.metadata.mediaType, name: offer.metadata.fileName,
            size: offer.metadata.size.map { Int64(clamping: $0) }, width: offer.metadata.width,
            height: offer.metadata.height, duration: offer.metadata.length.map { Int64($0) }, url: url,
            contentHash: hash)
    }

    /// What is said of the file to others.
    var metadata: FileMetadata {
        FileMetadata(
            mediaType: mediaType, fileName: name, size: size.map { UInt64(clamping: $0) }, width: width,
            height: height, length: duration.map { Int(clamping: $0) },
            hashes: contentHash.flatMap(FileHash.init(sha256:)).map { [$0] } ?? [])
    }
}
