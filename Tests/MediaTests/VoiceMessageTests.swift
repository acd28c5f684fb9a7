import Foundation
import Testing

@testable import Media

@Suite struct VoiceMessageTests {
    /// Formats in which other clients record, and encoders for them.
    struct Format: Sendable, CustomTestStringConvertible {
        let name: String
        let encoder: String
        let type: MediaType
        /// Lower for an encoder that delays the sound by 36 ms, about half of the duration of a peak.
        var leastCorrelation = 0.9
        var testDescription: String { name }
    }

    static let formats = [
        Format(name: "WAV", encoder: "audio/x-raw,rate=16000,channels=1 ! wavenc", type: .wav),
        Format(name: "Ogg/Vorbis", encoder: "vorbisenc ! oggmux", type: .ogg),
        Format(
            name: "M4A by voaacenc", encoder: "audio/x-raw,rate=44100 ! voaacenc bitrate=48000 ! aacparse ! mp4mux",
            type: .mp4Audio, leastCorrelation: 0.75),
        Format(
            name: "M4A by libav", encoder: "audio/x-raw,rate=44100 ! avenc_aac bitrate=48000 ! aacparse ! mp4mux",
            type: .mp4Audio),
        Format(
            name: "AAC in ADTS",
            encoder: "audio/x-raw,rate=44100 ! voaacenc ! audio/mpeg,stream-format=adts ! aacparse", type: .aac,
            leastCorrelation: 0.75),
        Format(name: "AMR-NB", encoder: "audio/x-raw,rate=8000 ! amrnbenc band-mode=7 ! avmux_amr", type: .amr),
        Format(
            name: "AMR-NB in 3GPP", encoder: "audio/x-raw,rate=8000 ! amrnbenc band-mode=7 ! 3gppmux",
            type: .threeGPPAudio),
        Format(
            name: "MP3", encoder: "audio/x-raw,rate=44100 ! lamemp3enc target=bitrate bitrate=48 cbr=true", type: .mp3),
        Format(
            name: "MP3 with ID3",
            encoder: "audio/x-raw,rate=44100 ! lamemp3enc target=bitrate bitrate=48 cbr=true ! id3v2mux", type: .mp3),
        Format(name: "FLAC", encoder: "flacenc", type: .flac),
        Format(name: "WebM", encoder: "audio/x-raw,rate=48000 ! opusenc ! webmmux", type: .webm),
    ]

    static func encoded(_ sound: SampleSound, _ encoder: String, in folder: TemporaryFolder) async throws -> String {
        let source = try folder.file("source.wav", sound.wav)
        let target = folder.path + "/encoded"
        try await run(
            ["gst-launch-1.0", "-q", "filesrc", "location=" + source] + [
                "!", "wavparse", "!", "audioconvert", "!", "audioresample", "!",
            ]
                + encoder.split(separator: " ").map(String.init) + ["!", "filesink", "location=" + target])
        return target
    }

    @Test("S0-104: a WAV file is converted to Ogg/Opus of 24 kbit/s with the same shape and length")
    func wavBecomesOpus() async throws {
        let folder = try TemporaryFolder()
        let sound = SampleSound(seconds: 6)
        let message = try await VoiceMessage.make(fromFile: try folder.file("a.wav", sound.wav))
        #expect(MediaType(sniffing: message.bytes) == .oggOpus)
        #expect(message.type == .oggOpus)
        #expect(abs(message.milliseconds - sound.milliseconds) * 50 <= sound.milliseconds)
        #expect(message.peaks.count == 64)
        #expect(message.peaks.allSatisfy { (0...1).contains($0) })
        #expect(correlation(message.peaks, sound.peaks) >= 0.9)
        #expect(message.bytes.count * 8 * 1000 / message.milliseconds < 32_000)
    }

    @Test(
        "S0-100: recordings of other clients (AAC, AMR, MP3 …) are recognised and converted to Ogg/Opus",
        arguments: formats)
    func otherFormats(_ format: Format) async throws {
        let folder = try TemporaryFolder()
        let sound = SampleSound(seconds: 5)
        let path = try await Self.encoded(sound, format.encoder, in: folder)
        let file = try await AudioFile.inspect(path: path)
        #expect(file.type == format.type)
        #expect(abs(file.milliseconds - sound.milliseconds) * 50 <= sound.milliseconds)
        let message = try await VoiceMessage.make(fromFile: path)
        #expect(message.type == .oggOpus)
        #expect(abs(message.milliseconds - sound.milliseconds) * 50 <= sound.milliseconds)
        #expect(correlation(message.peaks, sound.peaks) >= format.leastCorrelation)
    }
}
