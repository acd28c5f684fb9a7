import Dispatch

/// Facts about a sound file: its type, duration and waveform.
public struct AudioFile: Sendable, Hashable {
    /// The maximum duration that is decoded; otherwise an attacker's file could keep a processor busy.
    public static let maximumDuration: Duration = .seconds(2 * 60 * 60)
    static let rate = 16_000

    /// Determined from the bytes.
    public let type: MediaType
    /// Measured by decoding, not read from a header.
    public let milliseconds: Int
    /// Sixty-four values 0…1 from beginning to end, relative to the maximum; all 0 for silence.
    public let peaks: [Float]

    public init(type: MediaType, milliseconds: Int, peaks: [Float]) {
        self.type = type
        self.milliseconds = milliseconds
        self.peaks = peaks
    }

    public var duration: Duration { .milliseconds(milliseconds) }

    /// Decodes the file once, off the caller's thread. Cancellation stops decoding.
    public static func inspect(path: String) async throws(MediaError) -> AudioFile {
        try await OffPool.sound.run { cancellation throws(MediaError) in
            try inspect(try AudioInput(path: path), cancellation)
        }
    }

    /// Decodes the bytes of a file once, off the caller's thread. Cancellation stops decoding.
    public static func inspect(bytes: [UInt8]) async throws(MediaError) -> AudioFile {
        try await OffPool.sound.run { cancellation throws(MediaError) in
            try inspect(try AudioInput(bytes: bytes), cancellation)
        }
    }

    static func inspect(_ input: AudioInput, _ cancellation: OffPool.Cancellation) throws(MediaError) -> AudioFile {
        let pipeline = try Pipeline(
            Pipeline.decodingStart
                + " ! audio/x-raw,format=F32LE,channels=1,rate=\(rate) ! appsink name=output sync=false max-buffers=64",
            input: input)
        var meter = PeakMeter(rate: rate)
        let limit = Int(maximumDuration.components.seconds) * rate
        try pipeline.pull(cancellation) { bytes throws(MediaError) in
            bytes.withMemoryRebound(to: Float.self) { meter.add($0) }
            if meter.sampleCount > limit {
                throw MediaError(.tooLong, "The sound is longer than two hours.", remedy: "Send it as a plain file.")
            }
        }
        guard meter.sampleCount > 0 else {
            throw MediaError(.empty, "There is no sound in the file.", remedy: "Ask for it again, or record it again.")
        }
        return AudioFile(
            type: input.type, milliseconds: (meter.sampleCount * 1000 + rate / 2) / rate, peaks: meter.peaks())
    }
}
