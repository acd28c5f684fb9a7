/// A file that is ready to be sent: what is in it and what is known of it.
public struct OutgoingFile: Sendable, Equatable {
    public var kind: FileKind
    /// Shown to the receiver, and the name under which the server keeps the file.
    public var name: String
    public var mediaType: String
    public var content: [UInt8]
    /// Pixels.
    public var width: Int?
    /// Pixels.
    public var height: Int?
    /// The duration of sound or film, milliseconds.
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

    /// The kind of the form that carries the file inside the message, if there is one for it.
    var inlineKind: InlineMedia.Kind? {
        switch kind {
        case .picture: .picture
        case .voice: .voice
        case .video, .other: nil
        }
    }
}
