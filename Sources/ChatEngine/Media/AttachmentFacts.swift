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

    /// Reads what is known without decoding.
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

    /// The duration of a sound file, found by decoding it; `nil` if it is none.
    static func milliseconds(of path: String) async -> Int64? {
        (try? await AudioFile.inspect(path: path)).map { Int64($0.milliseconds) }
    }

    func write(into attachment: inout Attachment) {
        if let byteCount { attachment.size = byteCount }
        guard let type else { return }
        attachment.mediaType = type.name
        switch type.kind {
        case .picture: attachment.kind = .picture
        case .audio: attachment.kind = .voice
        case .video: attachment.kind = .video
        default: attachment.kind = .file
        }
        attachment.width = width ?? attachment.width
        attachment.height = height ?? attachment.height
        attachment.duration = milliseconds ?? attachment.duration
    }
}
