import Foundation
import ServerFixtures
import Testing

@testable import Media

@Suite("Videos")
struct VideoTests {
    @Test("size, duration, sound and a still of a video are found")
    func inspect() async throws {
        let path = try await SampleFilm.make(320, 180)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try await VideoFile.inspect(path: path)
        #expect(file.width == 320 && file.height == 180 && file.type == .webm)
        #expect(abs(file.milliseconds - 2_000) < 300, "\(file.milliseconds)")
        #expect(file.hasSound)
        #expect(file.still.type == .jpeg && file.still.width == 320 && file.still.height == 180)
        let mute = try await SampleFilm.make(1280, 720, hasSound: false)
        defer { try? FileManager.default.removeItem(atPath: mute) }
        let large = try await VideoFile.inspect(path: mute)
        #expect(!large.hasSound && large.width == 1280)
        #expect(large.still.width == VideoFile.stillSide && large.still.height == 360)
    }

    @Test("pictures come in their size until the end; it pauses, seeks, and begins again after the end")
    func play() async throws {
        let path = try await SampleFilm.make(320, 180, seconds: 1)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try await VideoFile.inspect(path: path)
        let player = try await VideoPlayer(path: path, file: file, side: 160, output: .silent)
        let frames = player.frames()
        try await player.play()
        var count = 0
        for await frame in frames {
            #expect(frame.width == 160 && frame.height == 90 && frame.pixels.count == 160 * 90 * 4)
            // Red.
            #expect(frame.pixels[0] > 180 && frame.pixels[2] < 80)
            count += 1
            if count == 3 { break }
        }
        #expect(player.position > .zero && player.position <= player.duration)
        try await player.pause()
        try await player.seek(to: .milliseconds(500))
        #expect(abs(player.position / .milliseconds(1) - 500) < 250)
        try await player.play()
        while !player.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
        #expect(player.position == player.duration)
        try await player.play()
        #expect(!player.hasEnded)
        await player.stop()
        for await _ in player.frames() { Issue.record("A stopped player shows a picture.") }
    }

    @Test("a video without sound plays, too")
    func silent() async throws {
        let path = try await SampleFilm.make(64, 64, hasSound: false, seconds: 1)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try await VideoFile.inspect(path: path)
        let player = try await VideoPlayer(path: path, file: file, side: 64)
        let frames = player.frames()
        try await player.play()
        for await _ in frames { break }
        await player.stop()
    }

    @Test("what is no video is refused: sound, text, a playlist, half a file")
    func others() async throws {
        func refused(_ bytes: [UInt8], _ name: String) async -> Bool {
            let path = NSTemporaryDirectory() + UUID().uuidString + name
            _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
            defer { try? FileManager.default.removeItem(atPath: path) }
            do {
                _ = try await VideoFile.inspect(path: path)
                return false
            } catch {
                return true
            }
        }
        #expect(await refused(Array("hello".utf8), ".mp4"))
        #expect(await refused(Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\nhttp://127.0.0.1:1/a.ts\n".utf8), ".mp4"))
        #expect(await refused([], ".webm"))
        let path = try await SampleFilm.make(64, 64, seconds: 1)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        #expect(await refused(Array(bytes.prefix(64)), ".webm"))
        #expect(await refused(bytes.map { $0 ^ 0x55 }, ".webm"))
    }
}
