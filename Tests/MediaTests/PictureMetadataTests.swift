import Foundation
import Testing

@testable import Media

@Suite struct PictureMetadataTests {
    @Test(
        "EXIF with GPS, XMP, comments and trailing data of a JPEG are removed; pixels and orientation remain",
        arguments: [1, 6])
    func jpeg(_ orientation: Int) async throws {
        for options in [["jpg:-"], ["-interlace", "JPEG", "jpg:-"], ["-colorspace", "CMYK", "jpg:-"]] {
            let plain = try await SamplePicture.convert(["-size", "50x40", "plasma:red-blue"] + options)
            let planted = SamplePicture.jpeg(plain, orientation: orientation)
            #expect(SamplePicture.holdsSecret(planted))
            let picture = try await Picture.prepare(planted, quality: .original)
            #expect(picture.type == .jpeg)
            #expect(!SamplePicture.holdsSecret(picture.bytes))
            #expect(picture.file.orientation.rawValue == orientation)
            #expect(picture.width == (orientation == 1 ? 50 : 40))
            let (before, after) = (
                try await SamplePicture.pixels(planted), try await SamplePicture.pixels(picture.bytes)
            )
            #expect(before == after)
        }
    }

    @Test("the colour profile of a JPEG remains")
    func colorProfile() async throws {
        let profile = Array("ICC_PROFILE\0\u{01}\u{01}".utf8) + Array(repeating: UInt8(7), count: 40)
        let plain = try await SamplePicture.convert(["-size", "50x40", "plasma:red-blue", "jpg:-"])
        let segment = [0xFF, 0xE2] + SamplePicture.big(profile.count + 2, 2) + profile
        let picture = try await Picture.prepare(plain.prefix(2) + segment + plain.dropFirst(2), quality: .original)
        #expect(Data(picture.bytes).range(of: Data(profile)) != nil)
    }

    @Test("text, time, EXIF and private chunks of a PNG are removed; pixels and orientation remain", arguments: [1, 8])
    func png(_ orientation: Int) async throws {
        for kind in ["png24:-", "png32:-", "png8:-"] {
            let plain = try await SamplePicture.convert(["-size", "50x40", "gradient:red-none", kind])
            let planted = SamplePicture.png(plain, orientation: orientation)
            let picture = try await Picture.prepare(planted, quality: .original)
            #expect(!SamplePicture.holdsSecret(picture.bytes))
            #expect(picture.file.orientation.rawValue == orientation)
            let (before, after) = (try await SamplePicture.pixels(plain), try await SamplePicture.pixels(picture.bytes))
            #expect(before == after)
        }
    }

    @Test("comments and XMP of an animated GIF are removed; it remains a repeating animation")
    func gif() async throws {
        let plain = try await SamplePicture.convert([
            "-delay", "20", "-loop", "0", "-size", "30x20", "xc:red", "xc:blue", "plasma:", "gif:-",
        ])
        let planted = SamplePicture.gif(plain)
        for quality in [Picture.Quality.original, .standard] {
            let picture = try await Picture.prepare(planted, quality: quality)
            #expect(picture.type == .gif)
            #expect(picture.file.isAnimated)
            #expect(!SamplePicture.holdsSecret(picture.bytes))
            #expect(Data(picture.bytes).range(of: Data("NETSCAPE2.0".utf8)) != nil)
            let (before, after) = (try await SamplePicture.pixels(plain), try await SamplePicture.pixels(picture.bytes))
            #expect(before == after)
            #expect(after.count == 3 * 30 * 20 * 4)
        }
        let thumbnail = try await Picture.thumbnail(of: planted, max: 16)
        #expect(!thumbnail.file.isAnimated)
    }

    @Test("EXIF, XMP and unknown chunks of a WebP are removed; pixels and orientation remain", arguments: [1, 3])
    func webp(_ orientation: Int) async throws {
        for options in [["webp:-"], ["-define", "webp:lossless=true", "webp:-"]] {
            let plain = try await SamplePicture.convert(["-size", "50x40", "plasma:red-blue"] + options)
            let planted = SamplePicture.webp(plain, width: 50, height: 40, orientation: orientation)
            let picture = try await Picture.prepare(planted, quality: .original)
            #expect(picture.type == .webp)
            #expect(!SamplePicture.holdsSecret(picture.bytes))
            #expect(picture.file.orientation.rawValue == orientation)
            #expect(picture.width == 50)
            let (before, after) = (
                try await SamplePicture.pixels(planted), try await SamplePicture.pixels(picture.bytes)
            )
            #expect(before == after)
        }
    }

    @Test("an animated WebP remains animated")
    func animatedWebP() async throws {
        let still = try await SamplePicture.convert(["-size", "20x20", "xc:red", "webp:-"])
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + SamplePicture.little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
        }
        let secret = Array(SamplePicture.secret.utf8)
        let frame =
            [0, 0, 0, 0, 0, 0, 19, 0, 0, 19, 0, 0, 100, 0, 0, 0] + Array(still.dropFirst(12)) + chunk("PRVT", secret)
        let body =
            chunk("VP8X", [0x0A, 0, 0, 0, 19, 0, 0, 19, 0, 0]) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
            + chunk("ANMF", frame)
            + chunk("ANMF", frame) + chunk("EXIF", SamplePicture.tiff(orientation: 1))
        let bytes = Array("RIFF".utf8) + SamplePicture.little(body.count + 4, 4) + Array("WEBP".utf8) + body
        let picture = try await Picture.prepare(bytes, quality: .original)
        #expect(picture.file.isAnimated)
        #expect(!SamplePicture.holdsSecret(picture.bytes))
        #expect(try await SamplePicture.pixels(picture.bytes).count == 2 * 20 * 20 * 4)
        let thumbnail = try await Picture.thumbnail(of: bytes, max: 10)
        #expect(thumbnail.width == 10)
        #expect(!thumbnail.file.isAnimated)
    }

    @Test("the output of standard quality contains no metadata either", arguments: ["jpg", "png", "webp", "gif"])
    func standard(_ format: String) async throws {
        let plain = try await SamplePicture.convert(["-size", "2200x40", "plasma:red-blue", format + ":-"])
        let planted =
            switch format {
            case "jpg": SamplePicture.jpeg(plain, orientation: 6)
            case "png": SamplePicture.png(plain, orientation: 6)
            case "gif": SamplePicture.gif(plain)
            default: SamplePicture.webp(plain, width: 2200, height: 40, orientation: 6)
            }
        let picture = try await Picture.prepare(planted, quality: .standard)
        #expect(!SamplePicture.holdsSecret(picture.bytes))
        #expect(max(picture.width, picture.height) == 2048)
        #expect(picture.file.orientation == .upright)
    }

    @Test(
        "damage never causes a crash, and a file that could be opened before stripping can be opened afterwards",
        arguments: ["jpg", "png", "gif", "webp"])
    func mutations(_ format: String) async throws {
        let plain = try await SamplePicture.convert([
            "-size", "12x9", "plasma:red-blue", "-quality", "40", format + ":-",
        ])
        let planted =
            switch format {
            case "jpg": SamplePicture.jpeg(plain, orientation: 6)
            case "png": SamplePicture.png(plain, orientation: 6)
            case "gif": SamplePicture.gif(plain)
            default: SamplePicture.webp(plain, width: 12, height: 9, orientation: 6)
            }
        var generator = SeededGenerator(state: 0x5EED)
        var opened = 0
        var stripped = 0
        for round in 0..<600 {
            // Other tests use the same threads, and some of them process sound in real time.
            await Task.yield()
            var bytes = planted
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch round % 4 {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &generator)))
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                }
            }
            guard let contents = try? PictureContents(bytes) else { continue }
            let canOpen = Self.canOpen(bytes)
            opened += canOpen ? 1 : 0
            guard let result = contents.stripped else { continue }
            stripped += 1
            #expect(try PictureFile.inspect(result).width == contents.file.width)
            if canOpen { #expect(Self.canOpen(result), "round \(round)") }
        }
        #expect(opened > 40)
        #expect(stripped > 40)
    }

    @Test("a file truncated at any byte never causes a crash", arguments: ["jpg", "png", "gif", "webp", "bmp"])
    func truncations(_ format: String) async throws {
        let plain = try await SamplePicture.convert(["-size", "12x9", "plasma:red-blue", format + ":-"])
        for count in 0..<plain.count {
            let bytes = Array(plain.prefix(count))
            guard let contents = try? PictureContents(bytes) else { continue }
            if format != "bmp", format != "gif" { #expect(contents.stripped == nil) }
        }
        let half = Array(plain.prefix(plain.count * 2 / 3))
        if format != "jpg" {
            let error = await #expect(throws: MediaError.self) { try await Picture.prepare(half, quality: .original) }
            #expect(error?.code == .corrupt)
            let other = await #expect(throws: MediaError.self) { try await Picture.thumbnail(of: half, max: 8) }
            #expect(other?.code == .corrupt)
        }
    }

    private static func canOpen(_ bytes: [UInt8]) -> Bool {
        guard let contents = try? PictureContents(bytes), let still = contents.still,
            let picture = try? PixelBuffer.decode(still, type: contents.file.type, side: nil)
        else { return false }
        return picture.width > 0
    }
}
