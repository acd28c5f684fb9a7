import Foundation

@testable import Media

/// Picture files that contain data which must not be sent.
enum SamplePicture {
    /// A marker in all added metadata.
    static let secret = "52.5200N-13.4050E"

    static func convert(_ arguments: [String], input: [UInt8]? = nil) async throws -> [UInt8] {
        guard let input else { return try await run(["convert"] + arguments) }
        let folder = try TemporaryFolder()
        return try await run(["convert", try folder.file("input", input)] + arguments)
    }

    /// The pixels as 8-bit RGBA, decoded by ImageMagick without rotation.
    static func pixels(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await convert(["-depth", "8", "rgba:-"], input: bytes)
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        big(value, count).reversed()
    }

    /// EXIF with orientation, a GPS directory and the secret as a place name.
    static func tiff(orientation: Int, littleEndian: Bool = false) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { littleEndian ? little(value, count) : big(value, count) }
        let text = Array(secret.utf8) + [0]
        var bytes = Array((littleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
        bytes += number(2, 2)
        bytes += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
        bytes += number(0x8825, 2) + number(4, 2) + number(1, 4) + number(38, 4)
        bytes += number(0, 4)
        // The GPS directory at 38: one entry, the name of the place.
        bytes += number(1, 2) + number(0x001C, 2) + number(7, 2) + number(text.count, 4) + number(56, 4) + number(0, 4)
        return bytes + text
    }

    /// A JPEG with EXIF, XMP, IPTC, a comment, a preview picture and a video after its end.
    static func jpeg(_ plain: [UInt8], orientation: Int, littleEndian: Bool = false) -> [UInt8] {
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0xFF, marker] + big(payload.count + 2, 2) + payload
        }
        let words = Array(secret.utf8)
        return Array(plain.prefix(2))
            + segment(0xE1, Array("Exif\0\0".utf8) + tiff(orientation: orientation, littleEndian: littleEndian))
            + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>".utf8) + words)
            + segment(0xED, Array("Photoshop 3.0\0".utf8) + words) + segment(0xE0, Array("JFXX\0\u{10}".utf8) + words)
            + segment(0xE2, Array("MPF\0".utf8) + words) + segment(0xFE, words) + plain.dropFirst(2)
            + Array("ftypmp42".utf8) + words
    }

    /// A PNG with text, time, EXIF and data after its end.
    static func png(_ plain: [UInt8], orientation: Int) -> [UInt8] {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let named = Array(name.utf8) + content
            return big(content.count, 4) + named + big(Int(CRC32.checksum(named)), 4)
        }
        let words = Array(secret.utf8)
        return Array(plain.prefix(33)) + chunk("tEXt", Array("Comment\0".utf8) + words)
            + chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + words) + chunk("tIME", [7, 234, 1, 2, 3, 4, 5])
            + chunk("eXIf", tiff(orientation: orientation)) + chunk("prVt", words) + plain.dropFirst(33) + words
    }

    /// A GIF, animated or not, with a comment and XMP before the first image, and data after its end.
    static func gif(_ plain: [UInt8]) -> [UInt8] {
        let words = Array(secret.utf8)
        let start = 13 + (plain[10] & 0x80 == 0 ? 0 : 3 << (Int(plain[10] & 7) + 1))
        let comment = [0x21, 0xFE, UInt8(words.count)] + words + [0]
        let xmp = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [UInt8(words.count)] + words + [0]
        return Array(plain.prefix(start)) + comment + xmp + plain.dropFirst(start) + words
    }

    /// A WebP with the extended header, EXIF, XMP and an unknown chunk, around the picture of a simple one.
    static func webp(_ plain: [UInt8], width: Int, height: Int, orientation: Int) -> [UInt8] {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
        }
        let words = Array(secret.utf8)
        let body =
            chunk("VP8X", [0x0C, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3)) + plain.dropFirst(12)
            + chunk("EXIF", tiff(orientation: orientation)) + chunk("XMP ", words) + chunk("PRVT", words)
        return Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body
    }

    static func holdsSecret(_ bytes: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(secret.utf8)) != nil
    }
}

/// Random numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
