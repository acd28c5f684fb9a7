import CGStreamer
import Synchronization
import Waiting

/// The messages on the bus of a pipeline: the end, the first failure, levels.
///
/// GStreamer calls ``received(_:)`` on its streaming threads, so no main loop is needed.
final class PipelineReports: Sendable {
    private struct State {
        var hasEnded = false
        var isClosed = false
        var failure: MediaError?
        var missing: MediaError?
        /// Opened when the pipeline has ended, failed or was stopped.
        var over = Gate()
    }

    private let state = Mutex(State())
    private let levelReported: (@Sendable (VoiceLevel) -> Void)?

    init(levelReported: (@Sendable (VoiceLevel) -> Void)? = nil) {
        self.levelReported = levelReported
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    /// Whether the pipeline was stopped explicitly.
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var failure: MediaError? { state.withLock { $0.failure } }

    /// Clears the end, after a seek away from it.
    func forgetEnd() {
        state.withLock { state in
            state.hasEnded = false
            if !state.isClosed, state.failure == nil { state.over = Gate() }
        }
    }

    /// Suspends until the pipeline has ended or failed, or the task is cancelled.
    func waitForEnd() async throws(MediaError) {
        await state.withLock { $0.over }.wait()
        if let failure { throw failure }
        if !hasEnded, !isClosed { throw .cancelled }
    }

    /// Resumes all waiting tasks, for a pipeline that is stopped explicitly.
    func close() {
        wake { $0.isClosed = true }
    }

    func received(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_EOS:
            wake { $0.hasEnded = true }
        case GST_MESSAGE_ERROR:
            let error = PipelineReports.error(in: message)
            wake { state in
                if state.failure == nil { state.failure = state.missing ?? error }
            }
        case GST_MESSAGE_ELEMENT:
            if gst_is_missing_plugin_message(message) != 0 {
                let missing = PipelineReports.missingPlugin(in: message)
                state.withLock { $0.missing = $0.missing ?? missing }
            } else if let levelReported, let level = VoiceLevel(message) {
                levelReported(level)
            }
        default:
            break
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let over = state.withLock { state in
            change(&state)
            return state.over
        }
        over.open()
    }
}

extension PipelineReports {
    /// The name of the element that connects to the sound server.
    static let soundElement = "sound"

    static func missingPlugin(in message: UnsafeMutablePointer<GstMessage>) -> MediaError {
        let what = take(gst_missing_plugin_message_get_description(message)) ?? "A GStreamer decoder"
        let detail = take(gst_missing_plugin_message_get_installer_detail(message)) ?? ""
        return .missingPackage(what, package: GStreamerLibrary.package(forMissing: detail))
    }

    static func error(in message: UnsafeMutablePointer<GstMessage>) -> MediaError {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        gst_message_parse_error(message, &error, &debug)
        let details = take(debug) ?? ""
        defer { g_clear_error(&error) }
        guard let error else { return MediaError(.failed, "The sound pipeline stopped.") }
        let cause = String(cString: error.pointee.message)
        let source = message.pointee.src.flatMap { $0.pointee.name }.map { String(cString: $0) }
        if source == soundElement { return soundError(cause: cause, details: details) }
        let code = Int(error.pointee.code)
        if error.pointee.domain == gst_resource_error_quark() { return resourceError(code, cause: cause) }
        if error.pointee.domain == gst_stream_error_quark() { return streamError(code, cause: cause) }
        return MediaError(.failed, "The sound pipeline stopped.", cause: cause)
    }

    /// The debug text names the function that failed and, unlike the message, is never translated.
    private static func soundError(cause: String, details: String) -> MediaError {
        if details.contains("_open") {
            return MediaError(
                .noSoundServer, "No sound server is running.",
                remedy: "Start PipeWire or PulseAudio, for example: systemctl --user start pipewire-pulse.",
                cause: cause)
        }
        return MediaError(
            .noSoundDevice, "The sound server has no such microphone or loudspeaker, or lost it.",
            remedy: "Choose another device; “pactl list short sources” and “pactl list short sinks” name them.",
            cause: cause)
    }

    private static func resourceError(_ code: Int, cause: String) -> MediaError {
        switch code {
        case Int(GST_RESOURCE_ERROR_NOT_FOUND.rawValue), Int(GST_RESOURCE_ERROR_OPEN_READ.rawValue),
            Int(GST_RESOURCE_ERROR_READ.rawValue):
            MediaError(
                .fileUnreadable, "The file cannot be read.", remedy: "Check its name and permissions.", cause: cause)
        case Int(GST_RESOURCE_ERROR_OPEN_WRITE.rawValue), Int(GST_RESOURCE_ERROR_WRITE.rawValue),
            Int(GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue):
            MediaError(
                .fileUnwritable, "The file cannot be written.", remedy: "Check its folder and the free space.",
                cause: cause)
        default:
            MediaError(.failed, "The sound pipeline stopped.", cause: cause)
        }
    }

    private static func streamError(_ code: Int, cause: String) -> MediaError {
        switch code {
        case Int(GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue):
            .missingPackage("A GStreamer decoder for this sound", package: "gstreamer1.0-libav", cause: cause)
        default:
            MediaError(.corrupt, "The sound in the file is damaged.", remedy: "Ask for it again.", cause: cause)
        }
    }

    private static func take(_ text: UnsafeMutablePointer<gchar>?) -> String? {
        guard let text else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
