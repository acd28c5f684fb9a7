import CGStreamer

extension PipelineReports {
    /// The name that pipelines give to the element which talks to the sound server.
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

    /// The debug text names the function that failed, and unlike the message it is never translated.
    private static func soundError(cause: String, details: String) -> MediaError {
        if details.contains("_open") {
            return MediaError(
                .noSoundServer, "No sound server answers.",
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
