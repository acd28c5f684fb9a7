import Foundation
import Testing

@testable import Media

@Suite struct AudioFileTests {
    @Test("type, duration and peaks are read from the bytes, independent of the file name")
    func inspects() async throws {
        let folder = try TemporaryFolder()
        let sound = SampleSound(seconds: 3)
        let file = try await AudioFile.inspect(path: try folder.file("picture.png", sound.wav))
        #expect(file.type == .wav)
        #expect(file.milliseconds == 3000)
        #expect(file.peaks.count == 64)
        #expect(file.peaks.max() == 1)
        #expect(correlation(file.peaks, sound.peaks) > 0.999)
        #expect(try await AudioFile.inspect(bytes: sound.wav) == file)
    }

    @Test("synthetic speech has the same shape as Opus")
    func speech() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/speech.wav"
        try await run([
            "espeak-ng", "-w", path, "The wild goose carries letters over the mountains, and nobody opens them.",
        ])
        let original = try await AudioFile.inspect(path: path)
        let message = try await VoiceMessage.make(fromFile: path)
        #expect(abs(message.milliseconds - original.milliseconds) * 50 <= original.milliseconds)
        #expect(correlation(message.peaks, original.peaks) >= 0.9)
    }

    @Test("silence has peaks of zero")
    func silence() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/silence.wav"
        try await run(["sox", "-n", "-r", "16000", "-c", "2", path, "trim", "0", "2"])
        let file = try await AudioFile.inspect(path: path)
        #expect(file.milliseconds == 2000)
        #expect(file.peaks.allSatisfy { $0 == 0 })
    }

    @Test("Ogg/Opus is not converted")
    func passesThrough() async throws {
        let message = try await VoiceMessage.make(fromBytes: SampleSound(seconds: 1).wav)
        let again = try await VoiceMessage.make(fromBytes: message.bytes)
        #expect(again == message)
    }

    @Test("a sound shorter than the number of peaks has all peaks nevertheless")
    func veryShort() async throws {
        let file = try await AudioFile.inspect(bytes: SampleSound(seconds: 0.05).wav)
        #expect(file.peaks.count == 64)
        #expect(file.milliseconds == 50)
    }

    @Test("empty and missing files, folders and devices are errors with a message")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let cases: [(String, MediaError.Code)] = [
            (folder.path + "/none.ogg", .fileUnreadable), (folder.path, .fileUnreadable),
            ("/dev/zero", .fileUnreadable),
            (try folder.file("empty.ogg"), .empty), (try folder.file("a.ogg", Array("hello".utf8)), .unsupported),
            (try folder.file("b.ogg", [1, 2, 3, 0]), .unrecognized),
        ]
        for (path, code) in cases {
            let error = await #expect(throws: MediaError.self) { try await AudioFile.inspect(path: path) }
            #expect(error?.code == code, "\(path)")
            #expect(error?.description.hasSuffix(".") == true || error?.description.hasSuffix(")") == true)
            await #expect(throws: MediaError.self) { try await VoiceMessage.make(fromFile: path) }
        }
    }

    @Test("damaged files are errors", arguments: ["ogg", "mp4", "wav", "flac", "amr", "mp3"])
    func corrupt(_ kind: String) async throws {
        let head: [UInt8] =
            switch kind {
            case "ogg": Array(try await VoiceMessage.make(fromBytes: SampleSound(seconds: 1).wav).bytes.prefix(60))
            case "mp4": MediaTypeTests.movie("M4A ", ["soun"])
            case "wav": Array(SampleSound(seconds: 1).wav.prefix(30))
            case "flac": Array("fLaC".utf8)
            case "amr": Array("#!AMR\n".utf8)
            default: Array("ID3\u{04}\0\0\0\0\0\0".utf8)
            }
        var generator = SeededGenerator(state: 3)
        let noise =
            kind == "ogg" || kind == "amr" ? [] : (0..<2000).map { _ in UInt8.random(in: 0...127, using: &generator) }
        let error = await #expect(throws: MediaError.self) { try await AudioFile.inspect(bytes: head + noise) }
        #expect(error.map { [.corrupt, .empty, .failed].contains($0.code) } == true, "\(String(describing: error))")
    }

    @Test("a truncated Ogg file plays up to its end")
    func cutOff() async throws {
        let whole = try await VoiceMessage.make(fromBytes: SampleSound(seconds: 6).wav)
        let part = try await AudioFile.inspect(bytes: Array(whole.bytes.prefix(whole.bytes.count / 2)))
        #expect((1500...4500).contains(part.milliseconds))
    }

    @Test("a playlist of addresses in a sound file is not followed")
    func noPlaylists() async throws {
        let tag = Array("ID3\u{04}\0\0\0\0\0\0".utf8)
        let list = Array("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n".utf8)
        let error = await #expect(throws: MediaError.self) { try await AudioFile.inspect(bytes: tag + list) }
        #expect(error != nil)
    }

    @Test("cancellation ends the conversion, before its start and during it")
    func cancelled() async throws {
        let bytes = SampleSound(seconds: 1).wav
        let work = Task {
            // From outside, the cancellation could arrive after the end, however short the delay.
            withUnsafeCurrentTask { $0?.cancel() }
            return try await AudioFile.inspect(bytes: bytes)
        }
        let early = await #expect(throws: MediaError.self) { try await work.value }
        #expect(early?.code == .cancelled)

        let cancellation = OffPool.Cancellation()
        cancellation.request()
        let late = #expect(throws: MediaError.self) {
            try AudioFile.inspect(try AudioInput(bytes: bytes), cancellation)
        }
        #expect(late?.code == .cancelled)
    }

    @Test("a missing plugin is reported with the package that contains it")
    func missingPlugin() {
        let error = #expect(throws: MediaError.self) { try GStreamerLibrary.require(["pulsesrc", "nosuchelement"]) }
        #expect(error?.code == .missingPlugin)
        #expect(error?.remedy.contains("apt install gstreamer1.0-plugins-base") == true)
        #expect(
            GStreamerLibrary.package(forMissing: "gstreamer|1.0|x|AMR|decoder-audio/AMR") == "gstreamer1.0-plugins-ugly"
        )
        #expect(
            GStreamerLibrary.package(forMissing: "gstreamer|1.0|x|AAC|decoder-audio/mpeg, mpegversion=(int)4")
                == "gstreamer1.0-libav")
    }
}
