import Dispatch

/// A voice message to send: Ogg/Opus bytes and the facts that a receiver needs in advance.
///
/// Free clients record and play Opus in Ogg (RFC 7845); 24 kbit/s mono is clear speech at 3 kB per second.
public struct VoiceMessage: Sendable, Hashable {
    /// Bits per second of the encoder.
    public static let bitrate = 24_000
    /// The maximum size of an Ogg/Opus file that is sent unchanged: hours of speech.
    public static let maximumByteCount = 64 << 20

    public let bytes: [UInt8]
    /// Type, duration and peaks of ``bytes``.
    public let file: AudioFile

    public var type: MediaType { file.type }
    public var milliseconds: Int { file.milliseconds }
    public var peaks: [Float] { file.peaks }

    /// Creates a voice message from any sound file: Ogg/Opus stays unchanged, everything else (WAV, M4A, AMR, MP3 …) is
    /// encoded. Runs off the caller's thread; cancellation ends it.
    public static func make(fromFile path: String) async throws(MediaError) -> VoiceMessage {
        try await OffPool.sound.run { cancellation throws(MediaError) in
            try make(try AudioInput(path: path), cancellation)
        }
    }

    /// Creates a voice message from the bytes of any sound file.
    public static func make(fromBytes bytes: [UInt8]) async throws(MediaError) -> VoiceMessage {
        try await OffPool.sound.run { cancellation throws(MediaError) in
            try make(try AudioInput(bytes: bytes), cancellation)
        }
    }

    private static func make(
        _ input: AudioInput, _ cancellation: OffPool.Cancellation
    ) throws(MediaError) -> VoiceMessage {
        if input.type == .oggOpus {
            return VoiceMessage(
                bytes: try input.bytes(limit: maximumByteCount), file: try AudioFile.inspect(input, cancellation))
        }
        let bytes = try encode(input, cancellation)
        return VoiceMessage(bytes: bytes, file: try AudioFile.inspect(try AudioInput(bytes: bytes), cancellation))
    }

    /// From raw sound to an Ogg stream with a page at least every half second.
    static let encodingEnd =
        "audio/x-raw,rate=48000,channels=1 ! opusenc bitrate=\(bitrate) audio-type=voice ! oggmux"

    private static func encode(
        _ input: AudioInput, _ cancellation: OffPool.Cancellation
    ) throws(MediaError) -> [UInt8] {
        let pipeline = try Pipeline(
            Pipeline.decodingStart + " ! \(encodingEnd) ! appsink name=output sync=false max-buffers=64", input: input)
        var bytes: [UInt8] = []
        try pipeline.pull(cancellation) { piece throws(MediaError) in
            bytes.append(contentsOf: piece)
            if bytes.count > maximumByteCount {
                throw MediaError(
                    .tooLong, "The sound is too long for a voice message.", remedy: "Send it as a plain file.")
            }
        }
        guard !bytes.isEmpty else {
            throw MediaError(.empty, "There is no sound in the file.", remedy: "Ask for it again, or record it again.")
        }
        return bytes
    }
}

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
