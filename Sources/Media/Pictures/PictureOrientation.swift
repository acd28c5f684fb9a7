/// How to turn a stored picture for display: the tag 0x0112 of EXIF (JEITA CP-3451 §4.6.4), 1…8.
public enum PictureOrientation: Int, Sendable, Hashable, CaseIterable {
    case upright = 1
    case mirrored = 2
    case upsideDown = 3
    case mirroredUpsideDown = 4
    /// Mirrored, then rotated 90° to the left.
    case transposed = 5
    /// Rotate 90° to the right for display.
    case turnRight = 6
    /// Mirrored, then rotated 90° to the right.
    case transversed = 7
    /// Rotate 90° to the left for display.
    case turnLeft = 8

    /// Whether width and height are exchanged.
    public var swapsSides: Bool { rawValue >= 5 }

    private static let tag = 0x0112

    /// Reads the tag from a TIFF structure in EXIF; `upright` if there is none or it is damaged.
    init(tiff bytes: [UInt8], in range: Range<Int>) {
        self = ((try? Self.read(bytes, range)) ?? nil) ?? .upright
    }

    private static func read(_ bytes: [UInt8], _ range: Range<Int>) throws(MediaError) -> PictureOrientation? {
        var cursor = ByteCursor(bytes, in: range)
        let order = try cursor.code(2)
        guard order == "II" || order == "MM" else { return nil }
        func number(_ cursor: inout ByteCursor, _ count: Int) throws(MediaError) -> Int {
            order == "II" ? try cursor.littleEndian(count) : try cursor.bigEndian(count)
        }
        guard try number(&cursor, 2) == 42 else { return nil }
        try cursor.skip(try number(&cursor, 4) - 8)
        for _ in 0..<(try number(&cursor, 2)) {
            let found = try number(&cursor, 2)
            let type = try number(&cursor, 2)
            let count = try number(&cursor, 4)
            let value = try number(&cursor, 2)
            try cursor.skip(2)
            if found == tag, type == 3, count == 1 { return PictureOrientation(rawValue: value) }
        }
        return nil
    }

    /// The smallest TIFF structure that contains only this tag.
    var tiff: [UInt8] {
        [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // big endian, first directory at 8
            0, 1,  // one entry
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(rawValue), 0, 0,
            0, 0, 0, 0,  // no further directory
        ]
    }
}
