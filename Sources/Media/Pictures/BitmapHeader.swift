/// The header of a Windows bitmap: its size, and whether all rows are there. A bitmap holds no metadata.
struct BitmapHeader {
    let width: Int
    let height: Int
    /// Whether the file is as long as its rows need; never for the rare compressed kinds, whose length cannot be told.
    let isComplete: Bool

    init(_ bytes: [UInt8]) throws(MediaError) {
        var cursor = ByteCursor(bytes)
        try cursor.skip(10)
        let pixels = try cursor.littleEndian(4)
        let depth: Int
        var compression = 0
        if try cursor.littleEndian(4) == 12 {
            width = try cursor.littleEndian(2)
            height = try cursor.littleEndian(2)
            try cursor.skip(2)
            depth = try cursor.littleEndian(2)
        } else {
            width = Int(Int32(truncatingIfNeeded: try cursor.littleEndian(4)))
            // A negative height means that the first row stands on top.
            height = abs(Int(Int32(truncatingIfNeeded: try cursor.littleEndian(4))))
            try cursor.skip(2)
            depth = try cursor.littleEndian(2)
            compression = try cursor.littleEndian(4)
        }
        try PictureLimits.check(width: width, height: height)
        // Rows are filled up to four bytes. Kinds 0, 3 and 6 store the pixels as they are.
        let row = (width * depth + 31) / 32 * 4
        isComplete = [0, 3, 6].contains(compression) && pixels + row * height <= bytes.count
    }
}
