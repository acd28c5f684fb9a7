internal import Cryptography
public import MessagePayloads

/// A file to send: its content and metadata.
public struct OutgoingFile: Sendable, Equatable {
    public var kind: FileKind
    /// Shown to the receiver, and the file name on the server.
    public var name: String
    public var mediaType: String
    public var content: [UInt8]
    /// Width in pixels.
    public var width: Int?
    /// Height in pixels.
    public var height: Int?
    /// The duration of sound or video, in milliseconds.
    public var length: Int?

    public init(
        kind: FileKind, name: String, mediaType: String, content: [UInt8], width: Int? = nil, height: Int? = nil,
        length: Int? = nil
    ) {
        self.kind = kind
        self.name = name
        self.mediaType = mediaType
        self.content = content
        self.width = width
        self.height = height
        self.length = length
    }

    var metadata: FileMetadata {
        FileMetadata(
            mediaType: mediaType, fileName: name, size: UInt64(content.count), width: width, height: height,
            length: length, hashes: [.sha256(of: content)])
    }
}

extension FileHash {
    /// The SHA-256 of `content`, which every receiver can check.
    public static func sha256(of content: [UInt8]) -> FileHash {
        FileHash(algorithm: "sha-256", value: SHA256.hash(content))
    }
}
