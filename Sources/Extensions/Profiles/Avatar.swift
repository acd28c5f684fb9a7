internal import Cryptography

/// A picture of somebody, checked against its hash.
public struct Avatar: Sendable, Equatable {
    /// How large a picture of others may be. Everybody's pictures are fetched, so each must be small.
    public static let fetchLimit = 512 * 1024
    /// How large an own picture may be: it travels in one stanza to every contact that wants it, and servers limit stanzas.
    public static let publishLimit = 128 * 1024

    /// SHA-1 in hexadecimal.
    public let id: String
    public let bytes: [UInt8]
    /// What the owner says; look at the bytes before believing it.
    public let mediaType: String
    public let width: Int?
    public let height: Int?

    public init(_ bytes: [UInt8], mediaType: String, width: Int? = nil, height: Int? = nil) {
        id = Hex.encode(SHA1.hash(bytes))
        self.bytes = bytes
        self.mediaType = mediaType
        self.width = width
        self.height = height
    }

    var information: AvatarMetadata.Information {
        .init(id: id, byteCount: bytes.count, mediaType: mediaType, width: width, height: height)
    }
}
