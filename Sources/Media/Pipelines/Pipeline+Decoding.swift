import CGStreamer

extension Pipeline {
    /// The start of every pipeline that reads a file.
    static let decodingStart =
        "filesrc name=source ! decodebin name=decoder caps=audio/x-raw expose-all-streams=false ! audioconvert ! audioresample"

    /// What a decoder may decode.
    enum DecodedContent {
        case sound
        /// Pictures and sound.
        case video
    }

    /// Restricts the decoder to audio containers and codecs, and to those of videos if they are wanted. Otherwise it would
    /// also follow playlists and other documents that name further files or servers, which received data must never cause.
    func allow(_ content: DecodedContent, from decoder: String) {
        typealias Answer =
            @convention(c) (OpaquePointer?, OpaquePointer?, UnsafePointer<GstCaps>?, gpointer?) -> gboolean
        let sound: Answer = { _, _, caps, _ in Pipeline.name(of: caps).map(Pipeline.isSound) == true ? 1 : 0 }
        let video: Answer = { _, _, caps, _ in
            Pipeline.name(of: caps).map { $0.hasPrefix("video/") || Pipeline.isSound($0) } == true ? 1 : 0
        }
        withElement(decoder) { child in
            _ = g_signal_connect_data(
                child, "autoplug-continue", unsafeBitCast(content == .sound ? sound : video, to: GCallback.self), nil,
                nil, GConnectFlags(rawValue: 0))
        }
    }

    private static func name(of caps: UnsafePointer<GstCaps>?) -> String? {
        guard let caps, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        return String(cString: gst_structure_get_name(structure))
    }

    private static func isSound(_ caps: String) -> Bool {
        caps.hasPrefix("audio/")
            || [
                "application/ogg", "application/x-id3", "application/x-apetag", "video/quicktime", "application/x-3gp",
                "video/webm", "video/x-matroska",
            ].contains(caps)
    }

    /// Runs to the end and passes every buffer that reaches the sink named `output` to `body`; blocks.
    func pull(
        _ cancellation: OffPool.Cancellation, _ body: (UnsafeRawBufferPointer) throws(MediaError) -> Void
    ) throws(MediaError) {
        let bin = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        guard let child = gst_bin_get_by_name(bin, "output") else { throw MediaError(.failed, "No output.") }
        defer { gst_object_unref(child) }
        let sink = UnsafeMutableRawPointer(child).assumingMemoryBound(to: GstAppSink.self)
        defer { gst_element_set_state(element, GST_STATE_NULL) }
        // An immediate failure is reported on the bus, and found below.
        gst_element_set_state(element, GST_STATE_PLAYING)
        var lastBuffer = ContinuousClock.now
        while true {
            try cancellation.check()
            // Waiting without a timeout would never end if the pipeline fails: check the reports regularly.
            guard let sample = gst_app_sink_try_pull_sample(sink, 50_000_000) else {
                if let failure = reports.failure { throw failure }
                if gst_app_sink_is_eos(sink) != 0 || reports.hasEnded { return }
                if ContinuousClock.now - lastBuffer > Self.stallDeadline {
                    throw .corrupt("decoding it does not progress")
                }
                continue
            }
            defer { gst_mini_object_unref(UnsafeMutableRawPointer(sample).assumingMemoryBound(to: GstMiniObject.self)) }
            lastBuffer = .now
            guard let buffer = gst_sample_get_buffer(sample) else { continue }
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { continue }
            defer { gst_buffer_unmap(buffer, &map) }
            try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
        }
    }
}
