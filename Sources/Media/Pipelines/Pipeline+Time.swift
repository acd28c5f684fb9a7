import CGStreamer

extension Pipeline {
    typealias TimeQuery = (UnsafeMutablePointer<GstElement>, GstFormat, UnsafeMutablePointer<gint64>) -> gboolean

    /// The answer to a question for a time; `nil` while it is unknown.
    func time(_ query: TimeQuery) -> Duration? {
        var nanoseconds: gint64 = 0
        guard query(element, GST_FORMAT_TIME, &nanoseconds) != 0, nanoseconds >= 0 else { return nil }
        return .nanoseconds(Int64(nanoseconds))
    }

    /// How long the pipeline has been playing by its own clock.
    var clockTime: Duration? {
        guard let clock = gst_element_get_clock(element) else { return nil }
        defer { gst_object_unref(clock) }
        let (now, base) = (gst_clock_get_time(clock), gst_element_get_base_time(element))
        return now >= base ? .nanoseconds(Int64(clamping: now - base)) : nil
    }

    /// Goes to a place exactly and plays from there at `rate`; blocks until sound from there is ready.
    func seek(to target: Duration, rate: Double, _ cancellation: OffPool.Cancellation) throws(MediaError) {
        let parts = target.components
        let nanoseconds = gint64(parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
        reports.forgetEnd()
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        guard
            gst_element_seek(
                element, rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, nanoseconds, GST_SEEK_TYPE_NONE, -1) != 0
        else {
            throw MediaError(
                .unsupported, "In this sound one cannot go to another place.", remedy: "Play it from the beginning.")
        }
        try settle(cancellation)
    }
}
