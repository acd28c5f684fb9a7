internal import ChatModel
internal import FileSharing
internal import Foundation
package import JSONRPC
package import Media

/// The properties of a file: type, size, and dimensions or duration, found in the bytes, not in claims.
package struct FileDetails: Sendable, Equatable {
    package var type: String
    package var byteCount: Int
    package var width: Int?
    package var height: Int?
    package var milliseconds: Int?

    package init(
        type: String, byteCount: Int, width: Int? = nil, height: Int? = nil, milliseconds: Int? = nil
    ) {
        self.type = type
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.milliseconds = milliseconds
    }

    init(_ picture: Picture) {
        self.init(
            type: picture.type.name, byteCount: picture.bytes.count, width: picture.width, height: picture.height)
    }

    /// Reads the properties of a file.
    package init(path: String) async {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
        let byteCount = size?.intValue ?? 0
        self.init(type: MediaType.octetStream.name, byteCount: byteCount)
        guard let bytes = try? FileFolder.read(path, limit: PictureLimits.maximumByteCount) else { return }
        let sniffed = MediaType(sniffing: bytes)
        type = sniffed.name
        switch sniffed.kind {
        case .picture:
            if let picture = try? PictureFile.inspect(bytes) {
                width = picture.width
                height = picture.height
            }
        case .audio: milliseconds = try? await AudioFile.inspect(path: path).milliseconds
        default: break
        }
    }

    package var kind: MediaType.Kind { MediaType(name: type)?.kind ?? .other }

    /// `image/png, 12.3 kB, 320 × 200`.
    package var description: String {
        var parts = [type, Wording.size(byteCount)]
        if let width, let height { parts.append("\(width) × \(height)") }
        if let milliseconds { parts.append(Wording.length(.milliseconds(milliseconds))) }
        return parts.joined(separator: ", ")
    }

    /// `[picture] image/png, 12.3 kB, 320 × 200`.
    package var line: String { "[\(label)] \(description)" }

    private var label: String { Wording.word(FileKind(mediaType: type)) }

    /// The members for JSON.
    package var json: [(String, JSONValue)] {
        [
            ("type", .string(type)), ("bytes", .integer(byteCount)), ("width", .count(width)),
            ("height", .count(height)), ("milliseconds", .count(milliseconds)),
        ]
    }
}
