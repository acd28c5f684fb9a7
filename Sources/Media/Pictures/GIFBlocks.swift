/// The blocks of a GIF file (CompuServe GIF89a §15 and following): the facts in the header, and the file without its
/// metadata.
///
/// It preserves screen, colour tables, images with their timing, and the repetition count of an animation. It removes
/// comments, XMP and other application data, plain text blocks and anything after the trailer.
struct GIFBlocks {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var frameCount = 0
    private(set) var hasTransparency = false
    /// The file without metadata; complete only if ``isComplete``.
    private(set) var stripped: [UInt8] = []
    /// Only the first image, so that a preview does not open a whole animation.
    private(set) var firstFrame: [UInt8] = []
    private(set) var isComplete = false

    init(_ bytes: [UInt8]) throws(MediaError) {
        stripped.reserveCapacity(bytes.count)
        do {
            try walk(bytes)
            isComplete = true
        } catch {
            guard width > 0, height > 0 else { throw error }
        }
    }

    private mutating func walk(_ bytes: [UInt8]) throws(MediaError) {
        var cursor = ByteCursor(bytes)
        try cursor.skip(6)
        width = try cursor.littleEndian(2)
        height = try cursor.littleEndian(2)
        let flags = try cursor.byte()
        try cursor.skip(2 + Self.colorTableSize(flags))
        stripped.append(contentsOf: bytes[0..<cursor.offset])
        // Timing and transparency of the image that follows.
        var control: Range<Int>?
        for _ in 0..<PictureLimits.maximumPieceCount {
            let start = cursor.offset
            switch try cursor.byte() {
            case 0x3B:
                stripped.append(0x3B)
                if frameCount == 0 { throw .corrupt("it has no image") }
                return
            case 0x2C:
                try readImage(bytes, &cursor)
                if let control { stripped.append(contentsOf: bytes[control]) }
                control = nil
                stripped.append(contentsOf: bytes[start..<cursor.offset])
                frameCount += 1
                if frameCount == 1 { firstFrame = stripped + [0x3B] }
            case 0x21:
                let label = try cursor.byte()
                let first = cursor.offset
                try Self.skipSubBlocks(&cursor)
                if label == 0xF9 {
                    control = start..<cursor.offset
                    if first + 1 < bytes.count, bytes[first + 1] & 1 == 1 { hasTransparency = true }
                } else if label == 0x01 {
                    control = nil
                } else if label == 0xFF {
                    appendLoop(bytes, first)
                }
            default:
                throw .corrupt("it has a part of an unknown kind")
            }
        }
        throw .corrupt("it has too many parts")
    }

    private func readImage(_ bytes: [UInt8], _ cursor: inout ByteCursor) throws(MediaError) {
        try cursor.skip(4)
        try PictureLimits.check(width: try cursor.littleEndian(2), height: try cursor.littleEndian(2))
        try cursor.skip(Self.colorTableSize(try cursor.byte()))
        try cursor.skip(1)
        try Self.skipSubBlocks(&cursor)
    }

    /// Writes a new repetition count if the application block at `offset` is one; nothing else of it is copied.
    private mutating func appendLoop(_ bytes: [UInt8], _ offset: Int) {
        guard
            bytes.has("\u{0B}NETSCAPE2.0\u{03}\u{01}", at: offset)
                || bytes.has("\u{0B}ANIMEXTS1.0\u{03}\u{01}", at: offset),
            offset + 15 < bytes.count
        else { return }
        stripped.append(contentsOf: [0x21, 0xFF] + Array("\u{0B}NETSCAPE2.0\u{03}\u{01}".utf8))
        stripped.append(contentsOf: [bytes[offset + 14], bytes[offset + 15], 0])
    }

    private static func colorTableSize(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
    }

    private static func skipSubBlocks(_ cursor: inout ByteCursor) throws(MediaError) {
        while true {
            let length = Int(try cursor.byte())
            if length == 0 { return }
            try cursor.skip(length)
        }
    }
}
