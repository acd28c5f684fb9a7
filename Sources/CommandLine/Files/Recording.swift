internal import Foundation
internal import Glibc
internal import Localization
internal import Media
internal import TerminalApp

/// Records from the microphone into a temporary file, which is gone afterwards.
enum Recording {
    /// Records for that long; the level shows on the terminal meanwhile.
    static func voice(seconds: Int) async throws -> VoiceMessage {
        let recorder = try begin(maximum: .seconds(seconds))
        defer { unlink(recorder.path) }
        try await recorder.start()
        let isTerminal = isatty(STDERR_FILENO) == 1
        let meter = Task {
            for await level in recorder.levels where isTerminal {
                StandardOutput.write(
                    "\r" + VoiceMeter.line(time: level.time, peak: level.peak) + "\u{1B}[K", to: STDERR_FILENO)
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
}
