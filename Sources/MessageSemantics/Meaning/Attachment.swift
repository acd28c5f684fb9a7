public import MessagePayloads

/// A file that belongs to a message: its known properties, and where its content is.
///
/// The name comes from the network. It is only for display; the content is found by its hash, never by a name.
public struct Attachment: Hashable, Sendable, Codable {
    /// How the file is presented to the user.
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
    /// Where it can be downloaded.
    public var url: String?
    /// The SHA-256 of the content in lower-case hexadecimal digits: its key in the content-addressed cache.
    public var contentHash: String?
    /// Whether the content with this hash is on this device.
    public var isLocal: Bool
    /// A small picture to show until the content is downloaded.
    public var thumbnail: [UInt8]?
    /// The position where playback stopped, in milliseconds: zero if it was played to the end, `nil` if it was never
    /// played.
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
    /// The file that a message offers.
    ///
    /// - Parameters:
    ///   - digest: computes the SHA-256 of content inside the message, in lower-case hexadecimal digits.
    ///   - isPreview: whether bytes from the sender are a picture that is small in every way.
    init(_ offer: FileOffer, digest: ([UInt8]) -> String?, isPreview: ([UInt8]) -> Bool) {
        var url: String?
        if case .addresses(let addresses) = offer.source { url = addresses.first }
        var hash = offer.metadata.hashes.lazy.compactMap(\.sha256).first
        // The hash of content inside the message is computed, not taken from the sender.
        if case .content(let bytes) = offer.source { hash = digest(bytes) }
        self.init(
            kind: offer.kind, mediaType: offer.metadata.mediaType, name: offer.metadata.fileName,
            size: offer.metadata.size.map { Int64(clamping: $0) }, width: offer.metadata.width,
            height: offer.metadata.height, duration: offer.metadata.length.map { Int64($0) }, url: url,
            contentHash: hash, thumbnail: offer.metadata.thumbnails.lazy.compactMap(\.content).first(where: isPreview))
    }

    /// The description of the file that is sent to others.
    var metadata: FileMetadata {
        var metadata = FileMetadata(
            mediaType: mediaType, fileName: name, size: size.map { UInt64(clamping: $0) }, width: width,
            height: height, length: duration.map { Int(clamping: $0) },
            hashes: contentHash.flatMap(FileHash.init(sha256:)).map { [$0] } ?? [])
        if let thumbnail, let picture = Thumbnail(content: thumbnail, mediaType: Self.pictureType(thumbnail)) {
            metadata.thumbnails = [picture]
        }
        return metadata
    }

    /// Thumbnails are JPEG, or PNG if parts are transparent.
    private static func pictureType(_ bytes: [UInt8]) -> String {
        bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? "image/png" : "image/jpeg"
    }
}
