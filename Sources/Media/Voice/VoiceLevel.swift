import CGStreamer
import Glibc

/// How loud the microphone is, for the moving bars while recording: twenty a second.
public struct VoiceLevel: Sendable, Hashable {
    /// Time since the beginning of the recording, at the end of the measured piece.
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

    /// Decibels of full scale as a factor.
    private static func linear(_ decibels: Double) -> Float {
        Float(min(1, pow(10, decibels / 20)))
    }
}
