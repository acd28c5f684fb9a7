import Foundation
import Synchronization
import Testing

@testable import Media

/// All samples of a sound file, decoded at the rate of ``SampleSound``.
func samples(of bytes: [UInt8]) async throws -> [Float] {
    try await OffPool.sound.run { cancellation throws(MediaError) in
        let pipeline = try Pipeline(
            Pipeline.decodingStart
                + " ! audio/x-raw,format=F32LE,channels=1,rate=\(SampleSound.rate) ! appsink name=output sync=false",
            input: try AudioInput(bytes: bytes))
        var samples: [Float] = []
        try pipeline.pull(cancellation) { bytes throws(MediaError) in
            bytes.withMemoryRebound(to: Float.self) { samples.append(contentsOf: $0) }
        }
        return samples
    }
}

/// The peaks from the first loud sample on, over the given number of samples.
func peaksFromOnset(_ samples: [Float], count: Int) -> [Float] {
    let onset = samples.firstIndex { abs($0) > 0.1 } ?? 0
    var meter = PeakMeter(rate: SampleSound.rate)
    let piece = Array(samples[onset..<min(onset + count, samples.count)])
    (piece + Array(repeating: 0, count: count - piece.count)).withUnsafeBufferPointer { meter.add($0) }
    return meter.peaks()
}

@Suite struct VoiceRecorderTests {
    @Test("a file as source: the recording has its length, shape and levels")
    func recordsFromFile() async throws {
        let folder = try TemporaryFolder()
        let sound = SampleSound(seconds: 4)
        let path = folder.path + "/recording.ogg"
        let recorder = try VoiceRecorder(from: .file(path: try folder.file("source.wav", sound.wav)), to: path)
        try await recorder.start()
        let message = try await recorder.waitForEnd()
        #expect(message.type == .oggOpus)
        #expect(abs(message.milliseconds - sound.milliseconds) * 50 <= sound.milliseconds)
        #expect(correlation(message.peaks, sound.peaks) >= 0.9)
        var levels: [VoiceLevel] = []
        for await level in recorder.levels { levels.append(level) }
        #expect((75...82).contains(levels.count))
        #expect(levels.allSatisfy { (0...1).contains($0.peak) && $0.effective <= $0.peak + 0.001 })
        #expect((levels.map(\.peak).max() ?? 0) > 0.8)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(try Data(contentsOf: URL(filePath: path)).elementsEqual(message.bytes))
    }

    @Test("a recording ends by itself at its maximum duration")
    func endsAtMaximum() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.file("source.wav", SampleSound(seconds: 6).wav)
        let recorder = try VoiceRecorder(
            from: .file(path: source), to: folder.path + "/a.ogg", maximumDuration: .seconds(2))
        try await recorder.start()
        let message = try await recorder.waitForEnd()
        #expect(abs(message.milliseconds - 2000) <= 150)
    }

    @Test("only the owner can read the file of a recording")
    func isPrivate() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.file("source.wav", SampleSound(seconds: 1).wav)
        let recorder = try VoiceRecorder(from: .file(path: source), to: folder.path + "/a.ogg")
        try await recorder.start()
        _ = try await recorder.waitForEnd()
        let attributes = try FileManager.default.attributesOfItem(atPath: recorder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("without a sound server the error contains a solution")
    func noServer() async throws {
        let folder = try TemporaryFolder()
        let nobody = SoundServer(address: "unix:\(folder.path)/nobody")
        let recorder = try VoiceRecorder(from: .microphone(server: nobody), to: folder.path + "/a.ogg")
        let error = await #expect(throws: MediaError.self) { try await recorder.start() }
        #expect(error?.code == .noSoundServer)
        #expect(error?.remedy.contains("PipeWire") == true)
        for await _ in recorder.levels {}
        let other = await #expect(throws: MediaError.self) {
            _ = try await VoicePlayer(bytes: SampleSound(seconds: 1).wav, output: .speaker(server: nobody))
        }
        #expect(other?.code == .noSoundServer)
    }

    @Test("a file that cannot be created is an error, and so is a wrong order of calls")
    func misuse() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.file("source.wav", SampleSound(seconds: 1).wav)
        let error = #expect(throws: MediaError.self) {
            try VoiceRecorder(from: .file(path: source), to: folder.path + "/none/a.ogg")
        }
        #expect(error?.code == .fileUnwritable)
        let recorder = try VoiceRecorder(from: .file(path: source), to: folder.path + "/a.ogg")
        let early = await #expect(throws: MediaError.self) { try await recorder.stop() }
        #expect(early?.code == .wrongState)
        try await recorder.start()
        let twice = await #expect(throws: MediaError.self) { try await recorder.start() }
        #expect(twice?.code == .wrongState)
        await recorder.discard()
        #expect(!FileManager.default.fileExists(atPath: recorder.path))
    }
}

/// Serialised, because every test has its own sound server.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MicrophoneTests {
    @Test("S0-100: the microphone is recorded, with live levels")
    func recordsMicrophone() async throws {
        let sound = SampleSound(seconds: 3)
        let expected = peaksFromOnset(sound.samples, count: sound.samples.count)
        var best = 0.0
        // Sound is real-time: under load, server and player drop some of it, but not three times in a row.
        for _ in 0..<3 where best < 0.9 {
            let (message, loudest) = try await recordFromMicrophone(sound)
            #expect(loudest > 0.5)
            #expect(message.milliseconds > sound.milliseconds)
            let recorded = peaksFromOnset(try await samples(of: message.bytes), count: sound.samples.count)
            best = max(best, correlation(recorded, expected))
        }
        #expect(best >= 0.9)
    }

    private func recordFromMicrophone(_ sound: SampleSound) async throws -> (VoiceMessage, loudest: Float) {
        let server = try await PrivateSoundServer()
        let source = try server.folder.file("source.wav", sound.wav)
        let recorder = try VoiceRecorder(
            from: .microphone(device: "feed.monitor", server: server.server), to: server.folder.path + "/a.ogg")
        try await recorder.start()
        let isPlayed = Mutex(false)
        async let loudest = { () async -> Float in
            var loudest: Float = 0
            var silent = 0
            for await level in recorder.levels {
                loudest = max(loudest, level.peak)
                silent = level.peak < 0.01 ? silent + 1 : 0
                // Half a second of silence after the end: nothing more arrives.
                if isPlayed.withLock({ $0 }), silent >= 10 { break }
            }
            return loudest
        }()
        try await server.play(source)
        isPlayed.withLock { $0 = true }
        let peak = await loudest
        return (try await recorder.stop(), peak)
    }

    @Test("a recording that is interrupted at any time leaves a playable file")
    func interrupted() async throws {
        let server = try await PrivateSoundServer()
        let path = server.folder.path + "/a.ogg"
        let recorder = try VoiceRecorder(from: .microphone(device: "feed.monitor", server: server.server), to: path)
        try await recorder.start()
        var count = 0
        for await _ in recorder.levels {
            count += 1
            if count == 40 { break }
        }
        // The file that a killed program leaves behind.
        let midway = try await AudioFile.inspect(bytes: Array(try Data(contentsOf: URL(filePath: path))))
        #expect(midway.milliseconds >= 500)
        server.stop()
        let error = await #expect(throws: MediaError.self) { try await recorder.waitForEnd() }
        #expect(error?.code == .noSoundDevice || error?.code == .noSoundServer)
        let rest = try await VoiceMessage.make(fromFile: path)
        #expect(rest.milliseconds >= midway.milliseconds)
    }

    @Test("cancellation ends the recording and finishes the file")
    func cancelled() async throws {
        let server = try await PrivateSoundServer()
        let recorder = try VoiceRecorder(
            from: .microphone(device: "feed.monitor", server: server.server), to: server.folder.path + "/a.ogg")
        try await recorder.start()
        var levels = recorder.levels.makeAsyncIterator()
        for _ in 0..<10 { _ = await levels.next() }
        let waiting = Task { try await recorder.waitForEnd() }
        waiting.cancel()
        let error = await #expect(throws: MediaError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(try await AudioFile.inspect(path: recorder.path).milliseconds >= 400)
        while await levels.next() != nil {}
    }

    @Test("the errors for a missing microphone and a missing server differ")
    func noDevice() async throws {
        let server = try await PrivateSoundServer()
        let recorder = try VoiceRecorder(
            from: .microphone(device: "nobody", server: server.server), to: server.folder.path + "/a.ogg")
        let error = await #expect(throws: MediaError.self) {
            try await recorder.start()
            _ = try await recorder.waitForEnd()
        }
        #expect(error?.code == .noSoundDevice, "\(String(describing: error))")
    }

    @Test("a voice message is played through a sound server")
    func plays() async throws {
        let server = try await PrivateSoundServer()
        let message = try await VoiceMessage.make(fromBytes: SampleSound(seconds: 1).wav)
        let player = try await VoicePlayer(
            bytes: message.bytes, output: .speaker(device: "feed", server: server.server))
        try await player.playToEnd()
        #expect(player.position == player.duration)
    }
}
