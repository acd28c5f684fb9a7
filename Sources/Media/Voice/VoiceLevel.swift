import CGStreamer
import Glibc

/// The level of the microphone for the level meter while recording: twenty per second.
public struct VoiceLevel: Sendable, Hashable {
    /// Time since the start of the recording, at the end of the measured interval.
    public let time: Duration
    /// The loudest sample, 0…1 of full scale.
    public let peak: Float
    /// The effective value, 0…1 of full scale.
    public let effective: Float

    public init(time: Duration, peak: Float, effective: Float) {
        self.time = time
        self.peak = peak
        self.effective = effective
    }
}

extension VoiceLevel {
    /// Nanoseconds of sound that one level covers.
    static let interval: Int64 = 50_000_000

    init?(_ message: UnsafeMutablePointer<GstMessage>) {
        guard let structure = gst_message_get_structure(message), gst_structure_has_name(structure, "level") != 0 else {
            return nil
        }
        var end: GstClockTime = 0
        var duration: GstClockTime = 0
        gst_structure_get_clock_time(structure, "running-time", &end)
        gst_structure_get_clock_time(structure, "duration", &duration)
        guard let peak = Self.first(structure, "peak"), let effective = Self.first(structure, "rms") else { return nil }
        self.init(
            time: .nanoseconds(Int64(clamping: end &+ duration)), peak: Self.linear(peak),
            effective: Self.linear(effective))
    }

    private static func first(_ structure: UnsafePointer<GstStructure>, _ field: String) -> Double? {
        guard let value = gst_structure_get_value(structure, field), let boxed = g_value_get_boxed(value) else {
            return nil
        }
        let array = boxed.assumingMemoryBound(to: GValueArray.self)
        guard array.pointee.n_values > 0 else { return nil }
        return g_value_get_double(array.pointee.values)
    }

    /// Decibels relative to full scale as a factor.
    private static func linear(_ decibels: Double) -> Float {
        Float(min(1, pow(10, decibels / 20)))
    }
}

/// Reduces samples, as they arrive, to a fixed number of peaks: the waveform beside a voice message.
struct PeakMeter {
    /// Peaks per message; enough for a bubble of a few hundred points.
    static let bucketCount = 64
    /// Anything quieter counts as silence, so that the noise of an empty recording is not drawn as speech: −60 dB.
    static let silence: Float = 0.001

    private let samplesPerPeak: Int
    private var fine: [Float] = []
    private var current: Float = 0
    private var counted = 0
    private(set) var sampleCount = 0

    /// One peak per 5 ms is stored until the length is known.
    init(rate: Int) {
        samplesPerPeak = max(1, rate / 200)
    }

    mutating func add(_ samples: UnsafeBufferPointer<Float>) {
        sampleCount += samples.count
        for sample in samples {
            // A NaN from a broken decoder compares false and is ignored.
            let loudness = abs(sample)
            if loudness > current { current = loudness }
            counted += 1
            if counted == samplesPerPeak {
                fine.append(current)
                current = 0
                counted = 0
            }
        }
    }

    /// The peaks, relative to the maximum; all 0 for silence.
    func peaks(_ count: Int = Self.bucketCount) -> [Float] {
        let fine = counted > 0 ? fine + [current] : fine
        guard let top = fine.max(), top > Self.silence, top.isFinite else { return Array(repeating: 0, count: count) }
        return (0..<count).map { bucket in
            let start = bucket * fine.count / count
            let end = max(start + 1, (bucket + 1) * fine.count / count)
            return (fine[start..<min(end, fine.count)].max() ?? 0) / top
        }
    }
}
