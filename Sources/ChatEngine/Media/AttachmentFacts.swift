internal import ChatStore
internal import Foundation
internal import Media

/// The properties of a file, found in its content.
struct AttachmentFacts: Sendable {
    var type: MediaType?
    var byteCount: Int64?
    var width: Int?
    var height: Int?
    var milliseconds: Int64?

    /// Reads the properties that need no decoding.
    init(_ path: String) {
        guard let handle = FileHandle(forReadingAtPath: path) else { return }
        defer { try? handle.close() }
        let head = (try? handle.read(upToCount: MediaType.sniffedByteCount)).flatMap { $0 } ?? Data()
        byteCount = (try? handle.seekToEnd()).map { Int64(clamping: $0) }
        let sniffed = MediaType(sniffing: Array(head))
        guard sniffed != .octetStream else { return }
        type = sniffed
        switch sniffed.kind {
        case .picture:
            guard let byteCount, byteCount <= PictureLimits.maximumByteCount,
                let data = FileManager.default.contents(atPath: path),
                let picture = try? PictureFile.inspect(Array(data))
            else { return }
            width = picture.width
            height = picture.height
        default: break
        }
    }

    /// The duration of a sound file, found by decoding it; `nil` for other files.
    static func milliseconds(of path: String) async -> Int64? {
        (try? await AudioFile.inspect(path: path)).map { Int64($0.milliseconds) }
    }

    func write(into attachment: inout Attachment) {
        if let byteCount { attachment.size = byteCount }
        guard let type else { return }
        attachment.mediaType = type.name
        attachment.kind = Attachment.Kind(mediaType: type.name)
        attachment.width = width ?? attachment.width
        attachment.height = height ?? attachment.height
        attachment.duration = milliseconds ?? attachment.duration
    }
}

/// Encrypts and decrypts files without reading them into memory.
enum FileConversion {
    /// The number of bytes in memory at a time.
    private static let pieceSize = 256 << 10

    /// Writes the output of the cipher to a new file. If this fails, the new file must not be used.
    static func run(_ cipher: any FileCipher, from path: String, to result: String) throws(AttachmentFailure) {
        var cipher = cipher
        do {
            guard FileManager.default.createFile(atPath: result, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw AttachmentFailure.diskFailed }
            let (source, target) = (FileHandle(forReadingAtPath: path), FileHandle(forWritingAtPath: result))
            defer {
                try? source?.close()
                try? target?.close()
            }
            guard let source, let target else { throw AttachmentFailure.diskFailed }
            var isLast = false
            while !isLast {
                let piece = try source.read(upToCount: pieceSize) ?? Data()
                isLast = piece.count < pieceSize
                try target.write(contentsOf: Data(try cipher.process(Array(piece), isLast: isLast)))
            }
        } catch let error as ProtectionError {
            throw AttachmentFailure(protecting: error)
        } catch {
            throw .diskFailed
        }
    }
}

extension AttachmentFailure {
    /// The disk is full or cannot be written to.
    static let diskFailed = AttachmentFailure(.notStored, isTemporary: true)

    /// A file that cannot be encrypted or decrypted.
    init(protecting error: ProtectionError) {
        self.init(.notProtected, isTemporary: error.isTemporary)
        protection = error.code
    }
}
