internal import FileSharing
internal import Media

/// A picture or voice message made ready for sending and kept in the person's own folder.
struct PreparedFile: Sendable {
    var outgoing: OutgoingFile
    /// Where the copy is; what the conversation shows and plays.
    var path: String
    var sha256: String
    var details: FileDetails

    /// The largest picture file that is read.
    private static let maximumPictureSize = PictureLimits.maximumByteCount

    /// Scales a picture, strips its metadata and keeps a copy.
    static func picture(file: String, in folder: FileFolder) async throws -> PreparedFile {
        let bytes = try await onOwnThread { Result { try FileFolder.read(file, limit: maximumPictureSize) } }.get()
        return try await picture(bytes, in: folder)
    }

    static func picture(_ bytes: [UInt8], in folder: FileFolder) async throws -> PreparedFile {
        let picture = try await Picture.prepare(bytes, quality: .standard)
        let name = "picture-\(FileDate.now).\(picture.type.fileExtension)"
        let path = try await onOwnThread { Result { try folder.keep(picture.bytes, name: name) } }.get()
        let outgoing = OutgoingFile(
            kind: .picture, name: name, mediaType: picture.type.name, content: picture.bytes, width: picture.width,
            height: picture.height)
        return PreparedFile(outgoing, path: path, FileDetails(picture))
    }

    /// Encodes a sound file where that is needed, and keeps a copy.
    static func voice(file: String, in folder: FileFolder) async throws -> PreparedFile {
        try await voice(VoiceMessage.make(fromFile: FileDate.expanded(file)), in: folder)
    }

    static func voice(_ message: VoiceMessage, in folder: FileFolder) async throws -> PreparedFile {
        let name = "voice-\(FileDate.now).\(message.type.fileExtension)"
        let path = try await onOwnThread { Result { try folder.keep(message.bytes, name: name) } }.get()
        let outgoing = OutgoingFile(
            kind: .voice, name: name, mediaType: message.type.name, content: message.bytes,
            length: message.milliseconds)
        return PreparedFile(
            outgoing, path: path,
            FileDetails(type: message.type.name, byteCount: message.bytes.count, milliseconds: message.milliseconds))
    }

    private init(_ outgoing: OutgoingFile, path: String, _ details: FileDetails) {
        self.outgoing = outgoing
        self.path = path
        self.details = details
        sha256 = ContentHash.of(outgoing.content)
    }

    var json: [(String, JSONValue)] {
        [("path", .string(path)), ("sha256", .string(sha256))] + details.json
    }
}
