internal import Foundation
public import MessagePayloads

/// A file of this computer to send. It is read from its path while it is sent, so its size needs no memory.
public struct LocalFile: Sendable, Hashable {
    public var path: String
    public var kind: FileKind
    /// Shown to the receiver, and the file name on the server; by default that of the path.
    public var name: String
    public var mediaType: String
    /// Width in pixels.
    public var width: Int?
    /// Height in pixels.
    public var height: Int?
    /// The duration of sound or video, in milliseconds.
    public var length: Int?

    /// - Parameters:
    ///   - mediaType: by default that of the extension of the file name, or `application/octet-stream`.
    ///   - kind: by default a picture or a video for their media types, otherwise a file. A voice message is marked as one.
    public init(_ path: String, mediaType: String? = nil, kind: FileKind? = nil) {
        self.path = path
        let url = URL(filePath: path)
        name = url.lastPathComponent
        let type = mediaType ?? Self.types[url.pathExtension.lowercased()] ?? "application/octet-stream"
        self.mediaType = type
        let suggested = FileKind(mediaType: type)
        self.kind = kind ?? (suggested == .voice ? .file : suggested)
    }

    /// The media types of usual extensions.
    private static let types = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "svg": "image/svg+xml", "avif": "image/avif", "heic": "image/heic", "opus": "audio/ogg", "ogg": "audio/ogg",
        "oga": "audio/ogg", "m4a": "audio/mp4", "mp3": "audio/mpeg", "wav": "audio/wav", "amr": "audio/amr",
        "mp4": "video/mp4", "webm": "video/webm", "mov": "video/quicktime", "mkv": "video/x-matroska",
        "txt": "text/plain", "html": "text/html", "csv": "text/csv", "json": "application/json",
        "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip",
    ]

    /// Reads the file once, for its size and its SHA-256.
    func metadata() throws(FileSharingError) -> FileMetadata {
        let contents = try FileContents(of: path)
        guard contents.byteCount > 0 else { throw .empty }
        return FileMetadata(
            mediaType: mediaType, fileName: name, size: contents.byteCount, width: width, height: height,
            length: length, hashes: [FileHash(algorithm: "sha-256", value: contents.hash)])
    }

    /// The file in memory, which its use inside of a message requires.
    func loaded() throws(FileSharingError) -> OutgoingFile {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw FileContents.unreadable(path)
        }
        return OutgoingFile(
            kind: kind, name: name, mediaType: mediaType, content: Array(content), width: width, height: height,
            length: length)
    }
}
