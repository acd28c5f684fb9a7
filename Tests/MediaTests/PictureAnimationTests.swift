import Testing

@testable import Media

@Suite("Animated pictures")
struct PictureAnimationTests {
    @Test("the frames of a GIF and of a WebP are shown in order and repeated", arguments: ["gif", "webp"])
    func frames(type: String) async throws {
        let bytes = try await SamplePicture.convert([
            "-size", "80x60", "-delay", "5", "-loop", "0", "xc:red", "xc:lime", "xc:blue", "\(type):-",
        ])
        let animation = try #require(try await PictureAnimation.open(bytes, side: 40))
        var seen: Set<[UInt8]> = []
        let end = ContinuousClock.now + .seconds(30)
        while seen.count < 3, ContinuousClock.now < end {
            let frame = try await animation.frame()
            #expect(frame.width == 40 && frame.height == 30 && frame.pixels.count == 40 * 30 * 4)
            let pause = try #require(frame.duration)
            #expect(pause >= .milliseconds(20) && pause <= .milliseconds(60))
            seen.insert(frame.pixels.prefix(4).map { $0 > 127 ? 255 : 0 })
            try await Task.sleep(for: pause)
        }
        #expect(seen == [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]])
    }

    @Test("a file with one picture is not animated, a damaged one is rejected")
    func still() async throws {
        for type in ["gif", "webp", "png", "jpeg"] {
            let bytes = try await SamplePicture.convert(["-size", "8x8", "xc:red", "\(type):-"])
            #expect(try await PictureAnimation.open(bytes, side: 40) == nil)
        }
        let whole = try await SamplePicture.convert(["-size", "80x60", "-delay", "5", "xc:red", "xc:blue", "gif:-"])
        // A file that violates its format cannot be stripped of metadata, and only stripped files are passed to a
        // decoder.
        #expect(try await PictureAnimation.open(Array(whole.prefix(whole.count - 20)), side: 40) == nil)
        await #expect(throws: MediaError.self) { _ = try await PictureAnimation.open(Array("GIF89a".utf8), side: 40) }
    }

    @Test("a picture that repeats once ends with its last frame")
    func ending() async throws {
        let bytes = try await SamplePicture.convert([
            "-size", "8x8", "-delay", "3", "-loop", "1", "xc:red", "xc:blue", "gif:-",
        ])
        let animation = try #require(try await PictureAnimation.open(bytes, side: 40))
        let end = ContinuousClock.now + .seconds(30)
        var last = try await animation.frame()
        while let pause = last.duration, ContinuousClock.now < end {
            try await Task.sleep(for: pause)
            last = try await animation.frame()
        }
        #expect(last.duration == nil)
        #expect(Array(last.pixels.prefix(4)) == [0, 0, 255, 255])
    }
}
