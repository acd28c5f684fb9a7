/// The chunks of a PNG file (W3C Portable Network Graphics §5): the facts in the header, and the file without its
/// metadata.
///
/// It preserves the chunks that determine how pixels look. It removes text, time, EXIF (except the orientation),
/// everything unknown, and anything after the last chunk.
struct PNGChunks {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var orientation = PictureOrientation.upright
    private(set) var hasAlpha = false
    private(set) var isAnimated = false
    /// The file without metadata; complete only if ``isComplete``.
    private(set) var stripped: [UInt8] = []
    private(set) var isComplete = false

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let kept: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD",
        "hIST", "pHYs", "sPLT", "acTL", "fcTL", "fdAT",
    ]

    init(_ bytes: [UInt8]) throws(MediaError) {
        stripped.reserveCapacity(bytes.count)
        stripped = Self.signature
        do {
            try walk(bytes)
            isComplete = true
        } catch {
            guard width > 0, height > 0 else { throw error }
        }
    }

    private mutating func walk(_ bytes: [UInt8]) throws(MediaError) {
        var cursor = ByteCursor(bytes)
        try cursor.skip(Self.signature.count)
        var orientationOffset = stripped.count
        for _ in 0..<PictureLimits.maximumPieceCount {
            let start = cursor.offset
            let length = try cursor.bigEndian(4)
            let name = try cursor.code(4)
            let content = try cursor.take(length)
            try cursor.skip(4)
            if name == "IHDR" {
                guard width == 0 else { throw .corrupt("it has two headers") }
                try readHeader(bytes, content)
                stripped.append(contentsOf: bytes[start..<cursor.offset])
                orientationOffset = stripped.count
                continue
            }
            guard width > 0 else { throw .corrupt("it does not begin with its header") }
            switch name {
            case "tRNS": hasAlpha = true
            case "acTL": isAnimated = true
            case "eXIf": orientation = PictureOrientation(tiff: bytes, in: content)
            default: break
            }
            if Self.kept.contains(name) {
                stripped.append(contentsOf: bytes[start..<cursor.offset])
            } else if name.utf8.first.map({ $0 & 0x20 == 0 }) ?? true {
                // An upper-case first letter marks a critical chunk, which decoders must not ignore (§5.4).
                throw .corrupt("it has an unknown part that is needed to display it")
            }
            if name == "IEND" {
                if orientation != .upright { stripped.insert(contentsOf: orientationChunk, at: orientationOffset) }
                return
            }
        }
        throw .corrupt("it has too many parts")
    }

    private mutating func readHeader(_ bytes: [UInt8], _ content: Range<Int>) throws(MediaError) {
        var header = ByteCursor(bytes, in: content)
        width = try header.bigEndian(4)
        height = try header.bigEndian(4)
        try header.skip(1)
        let color = try header.byte()
        hasAlpha = color == 4 || color == 6
    }

    private var orientationChunk: [UInt8] {
        let content = Array("eXIf".utf8) + orientation.tiff
        return Self.number(UInt32(content.count - 4)) + content + Self.number(CRC32.checksum(content))
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// The checksum at the end of every PNG chunk (W3C Portable Network Graphics §5.5).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
    }
}
