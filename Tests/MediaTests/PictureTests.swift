import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Media

@Suite struct PictureTests {
    @Test("size and type are read from the bytes", arguments: ["png", "jpg", "gif", "webp", "bmp", "bmp3"])
    func inspects(_ format: String) async throws {
        let bytes = try await SamplePicture.convert(["-size", "40x30", "plasma:red-blue", format + ":-"])
        let file = try PictureFile.inspect(bytes)
        #expect(file.type.fileExtension == format.prefix(while: \.isLetter))
        #expect(file.width == 40)
        #expect(file.height == 30)
        #expect(!file.isAnimated)
        #expect(file.orientation == .upright)
    }

    @Test("the error names a format that cannot be opened", arguments: ["avif", "heic", "tiff"])
    func unsupported(_ format: String) async throws {
        let bytes = try await SamplePicture.convert(["-size", "64x64", "plasma:red-blue", format + ":-"])
        let error = #expect(throws: MediaError.self) { try PictureFile.inspect(bytes) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(format.uppercased()) == true)
        #expect(error?.remedy.isEmpty == false)
    }

    @Test("a header with more pixels than allowed is rejected before decoding")
    func bombs() async throws {
        let header = SamplePicture.big(100_000, 4) + SamplePicture.big(100_000, 4) + [8, 2, 0, 0, 0]
        let png =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + SamplePicture.big(13, 4) + Array("IHDR".utf8) + header
        let gif =
            Array("GIF89a".utf8) + SamplePicture.little(65_000, 2) + SamplePicture.little(65_000, 2) + [0, 0, 0, 0x3B]
        let bmp =
            Array("BM".utf8) + SamplePicture.little(99, 4) + [0, 0, 0, 0] + SamplePicture.little(54, 4)
            + SamplePicture.little(40, 4) + SamplePicture.little(60_000, 4) + SamplePicture.little(-60_000, 4)
            + [1, 0, 24, 0, 0, 0, 0, 0]
        for bytes in [png + [0, 0, 0, 0], gif, bmp] {
            let error = #expect(throws: MediaError.self) { try PictureFile.inspect(bytes) }
            #expect(error?.code == .tooLarge)
            let other = await #expect(throws: MediaError.self) { try await Picture.thumbnail(of: bytes, max: 64) }
            #expect(other?.code == .tooLarge)
        }
    }

    @Test("a file that is empty or not a picture is an error with a message")
    func noPicture() {
        let nothing = #expect(throws: MediaError.self) { try PictureFile.inspect([]) }
        #expect(nothing?.code == .empty)
        let noise = #expect(throws: MediaError.self) { try PictureFile.inspect([0, 1, 2, 3, 4, 5, 6, 7]) }
        #expect(noise?.code == .unrecognized)
        let text = #expect(throws: MediaError.self) { try PictureFile.inspect(Array("<svg/>".utf8)) }
        #expect(text?.code == .unsupported)
    }

    @Test("S0-99: a large picture is scaled and compressed, off the caller's thread")
    @MainActor
    func standardScales() async throws {
        let bytes = try await SamplePicture.convert(["-size", "3000x1000", "plasma:red-blue", "png24:-"])
        // The queue that decodes pictures is kept busy: only a caller's thread could do the work meanwhile.
        let gate = DispatchSemaphore(value: 0)
        OffPool.pictures.submit { gate.wait() }
        let isDone = Mutex(false)
        let work = Task { @MainActor in
            defer { isDone.withLock { $0 = true } }
            return try await Picture.prepare(bytes, quality: .standard)
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(isDone.withLock { $0 } == false)
        gate.signal()
        let picture = try await work.value
        #expect(picture.type == .jpeg)
        #expect(picture.width == 2048)
        #expect(picture.height == 683)
        #expect(picture.bytes.count < bytes.count / 4)
    }

    @Test(
        "a picture is prepared down to a number of bytes, in the best quality that fits",
        arguments: ["png24:-", "png32:-"])
    func limitedPreparation(format: String) async throws {
        let bytes = try await SamplePicture.convert(["-size", "600x400", "plasma:red-blue", "+noise", "Random", format])
        let whole = try await Picture.prepare(bytes, maximumByteCount: bytes.count)
        #expect(whole.width == 600 && whole.type == .png)
        var last = whole.bytes.count
        for limit in [180_000, 60_000, 30_000] {
            let picture = try await Picture.prepare(bytes, maximumByteCount: limit)
            #expect(picture.bytes.count <= limit && picture.bytes.count < last)
            #expect(abs(picture.width * 2 - picture.height * 3) <= 3)
            last = picture.bytes.count
        }
        let error = await #expect(throws: MediaError.self) { try await Picture.prepare(bytes, maximumByteCount: 100) }
        #expect(error?.code == .tooLarge)
    }

    @Test("only a small still picture may stand in the place of a file")
    func previews() async throws {
        let side = PictureFile.previewSide
        for format in ["png:-", "jpg:-"] {
            let largest = try await SamplePicture.convert(["-size", "\(side)x\(side)", "xc:red", format])
            #expect(PictureFile.isPreview(largest))
            let wider = try await SamplePicture.convert(["-size", "\(side + 1)x8", "xc:red", format])
            #expect(!PictureFile.isPreview(wider))
            #expect(!PictureFile.isPreview(Array(largest.prefix(20))))
        }
        #expect(!PictureFile.isPreview(try await SamplePicture.convert(["-size", "8x8", "xc:red", "gif:-"])))
        #expect(!PictureFile.isPreview([]) && !PictureFile.isPreview(Array("<svg/>".utf8)))
    }

    @Test("standard quality preserves transparency as PNG")
    func standardKeepsAlpha() async throws {
        let bytes = try await SamplePicture.convert(["-size", "2500x500", "gradient:none-blue", "png32:-"])
        let picture = try await Picture.prepare(bytes, quality: .standard)
        #expect(picture.type == .png)
        #expect(picture.file.hasAlpha)
        #expect(picture.width == 2048)
    }

    @Test("standard quality never makes a small picture larger")
    func standardKeepsSmall() async throws {
        let bytes = try await SamplePicture.convert(["-size", "60x60", "xc:red", "-quality", "20", "jpg:-"])
        let picture = try await Picture.prepare(bytes, quality: .standard)
        #expect(picture.bytes.count <= bytes.count)
        #expect(picture.width == 60)
    }

    @Test("all eight orientations are decoded upright", arguments: 1...8)
    func orientations(_ orientation: Int) async throws {
        let plain = try await SamplePicture.convert([
            "-size", "32x16", "(", "xc:red", "xc:lime", "+append", ")", "(", "xc:blue", "xc:white", "+append", ")",
            "-append", "-quality", "95", "jpg:-",
        ])
        let corners = ["-auto-orient", "-sample", "2x2!", "-depth", "8", "rgb:-"]
        for littleEndian in [false, true] {
            let turned = SamplePicture.jpeg(plain, orientation: orientation, littleEndian: littleEndian)
            let file = try PictureFile.inspect(turned)
            #expect(file.orientation.rawValue == orientation)
            #expect(file.width == (orientation < 5 ? 64 : 32))
            let expected = try await SamplePicture.convert(corners, input: turned)
            for picture in [
                try await Picture.thumbnail(of: turned, max: 64), try await Picture.png(of: turned),
                try await Picture.prepare(turned, quality: .standard),
            ] {
                #expect(picture.width == file.width)
                let got = try await SamplePicture.convert(corners, input: picture.bytes)
                #expect(zip(got, expected).allSatisfy { abs(Int($0) - Int($1)) < 40 })
            }
        }
    }

    @Test(
        "thumbnails are small, have the same aspect ratio, and are not animated",
        arguments: ["png", "jpg", "gif", "webp", "bmp"])
    func thumbnails(_ format: String) async throws {
        let bytes = try await SamplePicture.convert(["-size", "400x100", "plasma:red-blue", format + ":-"])
        let thumbnail = try await Picture.thumbnail(of: bytes, max: 128)
        #expect(thumbnail.width == 128)
        #expect(thumbnail.height == 32)
        #expect(thumbnail.type == .jpeg)
        #expect(thumbnail.bytes.count < 8_000)
        let small = try await thumbnail.thumbnail(max: 1000)
        #expect(small.width == 128)
    }

    @Test(
        "S0-95: a picture of any type is converted to PNG where PNG is expected",
        arguments: ["png", "jpg", "gif", "webp", "bmp"])
    func becomesPNG(_ format: String) async throws {
        let bytes = try await SamplePicture.convert(["-size", "40x30", "plasma:red-blue", format + ":-"])
        let picture = try await Picture.png(of: bytes)
        #expect(MediaType(sniffing: picture.bytes) == .png)
        #expect(picture.width == 40)
        let (before, after) = (try await SamplePicture.pixels(bytes), try await SamplePicture.pixels(picture.bytes))
        #expect(before.count == after.count)
        #expect(zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= 8 })
    }

    @Test("a bitmap is sent as PNG with the same pixels")
    func bitmap() async throws {
        let bytes = try await SamplePicture.convert(["-size", "40x30", "plasma:red-blue", "bmp:-"])
        let picture = try await Picture.prepare(bytes, quality: .original)
        #expect(picture.type == .png)
        let (before, after) = (try await SamplePicture.pixels(bytes), try await SamplePicture.pixels(picture.bytes))
        #expect(before == after)
    }

    @Test("a damaged but readable original is encoded again, without its metadata")
    func damagedOriginal() async throws {
        let plain = try await SamplePicture.convert(["-size", "40x30", "plasma:red-blue", "jpg:-"])
        let planted = SamplePicture.jpeg(plain, orientation: 6)
        // Garbage between two segments: decoders skip it, so its content is unknown.
        let rubbish = Array(SamplePicture.secret.utf8)
        let end = 4 + Int(planted[4]) << 8 + Int(planted[5])
        let damaged = Array(planted[..<end]) + rubbish + planted[end...]
        #expect(try PictureContents(planted).stripped != nil)
        guard let contents = try? PictureContents(damaged), contents.stripped == nil else { return }
        let picture = try await Picture.prepare(damaged, quality: .original)
        #expect(!SamplePicture.holdsSecret(picture.bytes))
        #expect(picture.file.orientation == .upright)
    }

    @Test("cancellation ends the conversion before its start")
    func cancelled() async throws {
        let bytes = try await SamplePicture.convert(["-size", "40x30", "plasma:red-blue", "jpg:-"])
        let work = Task {
            // From outside, the cancellation could arrive after the end, however short the delay.
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Picture.prepare(bytes, quality: .standard)
        }
        let error = await #expect(throws: MediaError.self) { try await work.value }
        #expect(error?.code == .cancelled)
    }
}
