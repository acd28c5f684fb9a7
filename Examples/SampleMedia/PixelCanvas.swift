/// A picture drawn by the program itself, pixel by pixel, written as PNG (W3C Portable Network Graphics, ISO 15948).
public struct PixelCanvas: Sendable {
    public struct Colour: Sendable, Hashable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8

        package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    public let width: Int
    public let height: Int
    private var pixels: [UInt8]

    public init(width: Int, height: Int, background: Colour) {
        self.width = width
        self.height = height
        pixels = (0..<width * height).flatMap { _ in [background.red, background.green, background.blue] }
    }

    /// Fills a rectangle; what lies outside of the picture is left out.
    public mutating func fill(x: Int, y: Int, width: Int, height: Int, _ colour: Colour) {
        for row in max(0, y)..<max(0, min(self.height, y + height)) {
            for column in max(0, x)..<max(0, min(self.width, x + width)) {
                let index = (row * self.width + column) * 3
                pixels[index] = colour.red
                pixels[index + 1] = colour.green
                pixels[index + 2] = colour.blue
            }
        }
    }

    /// Draws rows of characters, each a square of `scale` pixels in the colour of its character; others stay empty.
    public mutating func draw(_ rows: [String], scale: Int, x: Int, y: Int, _ palette: [Character: Colour]) {
        for (row, line) in rows.enumerated() {
            for (column, character) in line.enumerated() {
                guard let colour = palette[character] else { continue }
                fill(x: x + column * scale, y: y + row * scale, width: scale, height: scale, colour)
            }
        }
    }

    /// The file: 8 bits a channel, no interlacing, rows as they are.
    public var png: [UInt8] {
        var raw: [UInt8] = []
        raw.reserveCapacity(height * (width * 3 + 1))
        for row in 0..<height {
            raw.append(0)
            raw += pixels[row * width * 3..<(row + 1) * width * 3]
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += Self.chunk("IHDR", Self.bigEndian(UInt32(width)) + Self.bigEndian(UInt32(height)) + [8, 2, 0, 0, 0])
        file += Self.chunk("IDAT", Self.stored(raw))
        file += Self.chunk("IEND", [])
        return file
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(crc32(body))
    }

    /// A zlib stream (RFC 1950) of blocks that are stored and not compressed (RFC 1951 §3.2.4).
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var offset = 0
        repeat {
            let count = min(data.count - offset, 65_535)
            let isLast = offset + count == data.count
            let low = UInt8(count & 0xFF)
            let high = UInt8(count >> 8)
            stream += [isLast ? 1 : 0, low, high, ~low, ~high]
            stream += data[offset..<offset + count]
            offset += count
        } while offset < data.count
        return stream + bigEndian(adler32(data))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
