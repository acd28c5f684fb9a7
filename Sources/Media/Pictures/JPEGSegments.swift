import Glibc

/// The segments of a JPEG file (ITU-T T.81 annex B): the facts in the header, and the file without its metadata.
///
/// It preserves everything that determines the pixels, the colour profile, Adobe's colour transform and, for a rotated
/// picture, the orientation. It removes EXIF with GPS, XMP, IPTC, comments, embedded previews, and anything after the
/// end, such as the video of a "motion photo".
struct JPEGSegments {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var orientation = PictureOrientation.upright
    /// The file without metadata; complete only if ``isComplete``.
    private(set) var stripped: [UInt8] = []
    /// Whether every byte up to the end of the picture is valid.
    private(set) var isComplete = false

    private static let exif: StaticString = "Exif\0\0"

    /// Walks the whole file; throws if it does not even contain a size.
    init(_ bytes: [UInt8]) throws(MediaError) {
        var kept: [Range<Int>] = []
        var header: Range<Int>?
        do {
            try walk(bytes, &kept, &header)
            isComplete = true
        } catch {
            guard width > 0, height > 0 else { throw error }
            return
        }
        stripped = [0xFF, 0xD8]
        stripped.reserveCapacity(bytes.count)
        if let header { appendHeader(bytes[header]) }
        if orientation != .upright { append(0xE1, Array("Exif\0\0".utf8) + orientation.tiff) }
        for range in kept { stripped.append(contentsOf: bytes[range]) }
        stripped.append(contentsOf: [0xFF, 0xD9])
    }

    private mutating func walk(
        _ bytes: [UInt8], _ kept: inout [Range<Int>], _ header: inout Range<Int>?
    ) throws(MediaError) {
        var cursor = ByteCursor(bytes)
        try cursor.skip(2)
        for _ in 0..<PictureLimits.maximumPieceCount {
            guard try cursor.byte() == 0xFF else { throw .corrupt("there is something between its segments") }
            var marker = try cursor.byte()
            while marker == 0xFF { marker = try cursor.byte() }
            if marker == 0xD9 {
                if width == 0 { throw .corrupt("it ends without a picture") }
                return
            }
            guard marker >= 0xC0, !(0xD0...0xD8).contains(marker) else { throw .corrupt("a segment has no name") }
            let start = cursor.offset - 2
            let payload = try cursor.take(try cursor.bigEndian(2) - 2)
            switch marker {
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
                var frame = ByteCursor(bytes, in: payload)
                try frame.skip(1)
                height = try frame.bigEndian(2)
                width = try frame.bigEndian(2)
                kept.append(start..<cursor.offset)
            case 0xDA:
                kept.append(start..<cursor.offset)
                kept.append(try scan(bytes, &cursor))
            case 0xE0:
                if header == nil, bytes.has("JFIF\0", at: payload.lowerBound), payload.count >= 14 { header = payload }
            case 0xE1:
                if bytes.has(Self.exif, at: payload.lowerBound), payload.count > 6, orientation == .upright {
                    orientation = PictureOrientation(tiff: bytes, in: (payload.lowerBound + 6)..<payload.upperBound)
                }
            case 0xE2 where bytes.has("ICC_PROFILE\0", at: payload.lowerBound),
                0xEE where bytes.has("Adobe", at: payload.lowerBound):
                kept.append(start..<cursor.offset)
            case 0xE0...0xEF, 0xFE, 0xF0...0xFD:
                break
            default:
                kept.append(start..<cursor.offset)
            }
        }
        throw .corrupt("it has too many segments")
    }

    /// Entropy-coded data up to the next marker; `FF00` is a stuffed byte and `FFD0`…`FFD7` are restart markers (§B.1.1.2).
    private func scan(_ bytes: [UInt8], _ cursor: inout ByteCursor) throws(MediaError) -> Range<Int> {
        let start = cursor.offset
        let end: Int? = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var offset = start
            while offset + 1 < buffer.count, let hit = memchr(base + offset, 0xFF, buffer.count - offset - 1) {
                let position = base.distance(to: UnsafeRawPointer(hit))
                let next = buffer[position + 1]
                if next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) { return position }
                offset = position + (next == 0xFF ? 1 : 2)
            }
            return nil
        }
        guard let end else { throw .corrupt("it ends in the middle of the picture") }
        return try cursor.take(end - start)
    }

    /// The JFIF header without the preview that may follow its first fourteen bytes.
    private mutating func appendHeader(_ payload: ArraySlice<UInt8>) {
        append(0xE0, payload.prefix(12) + [0, 0])
    }

    private mutating func append(_ marker: UInt8, _ payload: [UInt8]) {
        let length = payload.count + 2
        stripped.append(contentsOf: [0xFF, marker, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)])
        stripped.append(contentsOf: payload)
    }

    private mutating func append(_ marker: UInt8, _ payload: ArraySlice<UInt8>) {
        append(marker, Array(payload))
    }
}
