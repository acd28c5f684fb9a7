internal import ChatModel
internal import Glibc
internal import Localization

/// A recording in one line: `Recording 0:03 ▮▮▮▮▮▯▯▯▯▯`.
package enum VoiceMeter {
    /// Bars of the level meter.
    private static let width = 20

    /// - Parameters:
    ///   - time: the duration of the recording.
    ///   - peak: the level, 0…1.
    package static func line(time: Duration, peak: Float) -> String {
        // Loudness is perceived logarithmically: −50 dB is an empty meter.
        let decibels = 20 * log10(max(Double(peak), 0.003))
        let bars = Int((max(0, min(decibels, 0) + 50) / 50 * Double(width)).rounded())
        return localized("Recording") + " \(Wording.length(time)) " + String(repeating: "▮", count: bars)
            + String(repeating: "▯", count: width - bars)
    }
}
