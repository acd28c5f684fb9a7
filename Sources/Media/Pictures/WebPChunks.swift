/// The chunks of a WebP file (RFC 9649 §2): the facts in the header, and the file without its metadata.
///
/// It preserves pictures, transparency, animation and the colour profile, and of EXIF only the orientation. XMP and
/// unknown chunks are removed.
struct WebPChunks {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var orientation = PictureOrientation.upright
    private(set) var hasAlpha = false
    private(set) var isAnimated = false
    /// The file without metadata; complete only if ``isComplete``.
    private(set) var stripped: [UInt8] = []
    private(set) var isComplete = false
    /// The first image of an animation as a separate file, so that a preview does not open the whole animation.
    private(set) var firstFrame: [UInt8]?

    private static let animationFlag: UInt8 = 0x02
    private static let alphaFlag: UInt8 = 0x10
    private static let exifFlag: UInt8 = 0x08
    private static let xmpFlag: UInt8 = 0x04

    init(_ bytes: [UInt8]) throws(MediaError) {
        do {
            try walk(bytes)
            isComplete = true
        } catch {
            guard width > 0, height > 0 else { throw error }
        }
    }

    private mutating func walk(_ bytes: [UInt8]) throws(MediaError) {
        var cursor = ByteCursor(bytes)
        try cursor.skip(4)
        let length = try cursor.littleEndian(4)
        try cursor.skip(4)
        var chunks = ByteCursor(bytes, in: cursor.offset..<(cursor.offset + max(0, length - 4)))
        guard chunks.remaining == length - 4 else { throw .corrupt("it ends too early") }
        var body: [UInt8] = []
        var flagsOffset: Int?
        var count = 0
        while chunks.remaining >= 8 {
            count += 1
            guard count <= PictureLimits.maximumPieceCount else { throw .corrupt("it has too many parts") }
            let start = chunks.offset
            let name = try chunks.code(4)
            let content = try chunks.take(try chunks.littleEndian(4))
            if content.count % 2 == 1 { try chunks.skip(1) }
            if width == 0 { try readSize(bytes, name, content) }
            switch name {
            case "VP8X":
                if content.count < 10 { throw .corrupt("its header is too short") }
                flagsOffset = body.count + 8
                body.append(contentsOf: bytes[start..<chunks.offset])
            case "VP8 ", "VP8L", "ALPH", "ANIM", "ICCP":
                body.append(contentsOf: bytes[start..<chunks.offset])
            case "ANMF":
                isAnimated = true
                try appendFrame(bytes, content, to: &body)
            case "EXIF":
                let offset = bytes.has("Exif\0\0", at: content.lowerBound) ? 6 : 0
                if content.count > offset {
                    orientation = PictureOrientation(
                        tiff: bytes, in: (content.lowerBound + offset)..<content.upperBound)
                }
            default:
                break
            }
        }
        guard width > 0 else { throw .corrupt("it has no picture") }
        let claimsAnimation = flagsOffset.map { body[$0] & Self.animationFlag != 0 } ?? false
        guard claimsAnimation == isAnimated else { throw .corrupt("its header does not match its content") }
        finish(&body, flagsOffset)
    }

    private mutating func readSize(_ bytes: [UInt8], _ name: String, _ content: Range<Int>) throws(MediaError) {
        var cursor = ByteCursor(bytes, in: content)
        switch name {
        case "VP8X":
            hasAlpha = try cursor.byte() & Self.alphaFlag != 0
            try cursor.skip(3)
            width = try cursor.littleEndian(3) + 1
            height = try cursor.littleEndian(3) + 1
        case "VP8L":
            guard try cursor.byte() == 0x2F else { throw .corrupt("its picture has no signature") }
            let packed = try cursor.littleEndian(4)
            width = packed & 0x3FFF + 1
            height = packed >> 14 & 0x3FFF + 1
            hasAlpha = packed >> 28 & 1 == 1
        case "VP8 ":
            try cursor.skip(3)
            guard try cursor.bigEndian(3) == 0x9D012A else { throw .corrupt("its picture has no signature") }
            width = try cursor.littleEndian(2) & 0x3FFF
            height = try cursor.littleEndian(2) & 0x3FFF
        default:
            throw .corrupt("it does not begin with its header")
        }
    }

    /// A frame of an animation: sixteen bytes of position and duration, then its chunks.
    private mutating func appendFrame(_ bytes: [UInt8], _ content: Range<Int>, to body: inout [UInt8])
        throws(MediaError)
    {
        var cursor = ByteCursor(bytes, in: content)
        let place = try cursor.take(16)
        var frame = Array(bytes[place])
        var flags: UInt8 = 0
        while cursor.remaining >= 8 {
            let start = cursor.offset
            let name = try cursor.code(4)
            let length = try cursor.littleEndian(4)
            try cursor.skip(length)
            if length % 2 == 1 { try cursor.skip(1) }
            if ["ALPH", "VP8 ", "VP8L"].contains(name) { frame.append(contentsOf: bytes[start..<cursor.offset]) }
            if name != "VP8 " { flags = Self.alphaFlag }
        }
        if firstFrame == nil {
            // Bytes 6…11 of a frame are its width and height in the format of the extended header.
            let size = Array(frame[6..<12])
            firstFrame = Self.file(Array("VP8X".utf8) + Self.number(10) + [flags, 0, 0, 0] + size + frame[16...])
        }
        body.append(contentsOf: Array("ANMF".utf8) + Self.number(frame.count) + frame)
    }

    private mutating func finish(_ body: inout [UInt8], _ flagsOffset: Int?) {
        if let flagsOffset {
            body[flagsOffset] &= ~(Self.exifFlag | Self.xmpFlag)
            if orientation != .upright {
                body[flagsOffset] |= Self.exifFlag
                body.append(contentsOf: Array("EXIF".utf8) + Self.number(orientation.tiff.count) + orientation.tiff)
            }
        } else {
            // Without the extended header there can be no EXIF, so no reader applies the orientation.
            orientation = .upright
        }
        stripped = Self.file(body)
    }

    private static func file(_ body: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + number(body.count + 4) + Array("WEBP".utf8) + body
    }

    private static func number(_ value: Int) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
