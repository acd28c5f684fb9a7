internal import Foundation
internal import Glibc
internal import Media
internal import TerminalApp

/// Records from the microphone into a temporary file, which is removed afterwards.
enum Recording {
    /// Records for this time, and shows the level on the terminal.
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
