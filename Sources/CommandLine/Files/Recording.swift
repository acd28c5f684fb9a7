internal import Foundation
internal import Glibc
internal import Localization
internal import Media

/// Records from the microphone into a temporary file, which is gone afterwards.
enum Recording {
    /// Bars of the level meter.
    private static let meterWidth = 20

    /// Records for that long; the level shows on the terminal meanwhile.
    static func voice(seconds: Int) async throws -> VoiceMessage {
        let recorder = try begin(maximum: .seconds(seconds))
        defer { unlink(recorder.path) }
        try await recorder.start()
        let isTerminal = isatty(STDERR_FILENO) == 1
        let meter = Task {
            for await level in recorder.levels where isTerminal {
                StandardOutput.write("\r" + line(level) + "\u{1B}[K", to: STDERR_FILENO)
            }
            if isTerminal { StandardOutput.write("\r\u{1B}[K", to: STDERR_FILENO) }
        }
        defer { meter.cancel() }
        return try await recorder.waitForEnd()
    }

    static func begin(maximum: Duration = VoiceRecorder.defaultMaximumDuration) throws(MediaError) -> VoiceRecorder {
        let path = NSTemporaryDirectory() + "/hongyan-\(UUID().uuidString).ogg"
        return try VoiceRecorder(from: .microphone(), to: path, maximumDuration: maximum)
    }

    /// `Recording 0:03 ▮▮▮▮▮▯▯▯▯▯`.
    static func line(_ level: VoiceLevel) -> String {
        let (seconds, attoseconds) = level.time.components
        let time = PlayingTime(milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
        // Loudness is heard by its logarithm: −50 dB is an empty meter.
        let decibels = 20 * log10(max(Double(level.peak), 0.003))
        let bars = Int((max(0, decibels + 50) / 50 * Double(meterWidth)).rounded())
        return localized("Recording") + " \(time) " + String(repeating: "▮", count: bars)
            + String(repeating: "▯", count: meterWidth - bars)
    }
}
