import CGStreamer
import Dispatch

/// A GStreamer pipeline: built from a constant description, monitored, and shut down when the last reference is
/// released.
///
/// `@unchecked Sendable`: the stored pointer never changes, and GStreamer's elements are thread-safe (every call takes
/// the object's own locks). Changes of state are serialised on `queue`.
final class Pipeline: @unchecked Sendable {
    /// The timeout of a change of state: opening a file or a sound server takes milliseconds.
    static let stateDeadline: Duration = .seconds(10)
    /// How long a decoder may produce nothing before it counts as stuck.
    static let stallDeadline: Duration = .seconds(20)

    /// How long the reason for a refused state may take to arrive.
    static let reasonDeadline: Duration = .seconds(2)

    let element: UnsafeMutablePointer<GstElement>
    let reports: PipelineReports
    private let input: AudioInput?
    let queue = OffPool(DispatchQueue(label: "media.pipeline"))

    /// `description` is in the notation of gst-launch and never contains data; names and paths are set as properties.
    init(
        _ description: String, input: AudioInput? = nil, decodes content: DecodedContent = .sound,
        reports: PipelineReports = PipelineReports()
    ) throws(MediaError) {
        try GStreamerLibrary.start()
        let words = description.split(separator: " ! ").compactMap { $0.split(separator: " ").first.map(String.init) }
        try GStreamerLibrary.require(words.filter { !$0.contains("/") && !$0.hasSuffix(".") })
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let parsed = gst_parse_launch(description, &error) else {
            throw MediaError(
                .failed, "The sound pipeline cannot be built.", cause: error.map { String(cString: $0.pointee.message) }
            )
        }
        gst_object_ref_sink(parsed)
        element = parsed
        self.reports = reports
        self.input = input
        Pipeline.watch(parsed, reports)
        if let input {
            setString("location", of: "source", to: input.path)
            allow(content, from: "decoder")
        }
    }

    deinit {
        // Stopping waits for the streaming threads, which must not block the thread that released the last reference.
        nonisolated(unsafe) let element = element
        queue.submit {
            gst_element_set_state(element, GST_STATE_NULL)
            gst_object_unref(element)
        }
    }

    private static func watch(_ element: UnsafeMutablePointer<GstElement>, _ reports: PipelineReports) {
        let bus = gst_element_get_bus(element)
        gst_bus_set_sync_handler(
            bus,
            { _, message, context in
                guard let message, let context else { return GST_BUS_PASS }
                Unmanaged<PipelineReports>.fromOpaque(context).takeUnretainedValue().received(message)
                gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
                return GST_BUS_DROP
            }, Unmanaged.passRetained(reports).toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<PipelineReports>.fromOpaque(context).release()
            })
        gst_object_unref(bus)
    }

    /// Passes the element of this name, retained, to `body`.
    func withElement<Value>(_ name: String, _ body: (UnsafeMutablePointer<GstElement>) -> Value) -> Value? {
        let bin = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        guard let child = gst_bin_get_by_name(bin, name) else { return nil }
        defer { gst_object_unref(child) }
        return body(child)
    }

    func setString(_ property: String, of name: String, to value: String) {
        withElement(name) { child in
            var holder = GValue()
            g_value_init(&holder, hongyan_gtype_string())
            g_value_set_string(&holder, value)
            g_object_set_property(
                UnsafeMutableRawPointer(child).assumingMemoryBound(to: GObject.self), property, &holder)
            g_value_unset(&holder)
        }
    }

    /// Changes the state and waits until it is reached; blocks.
    func reach(_ state: GstState, _ cancellation: OffPool.Cancellation) throws(MediaError) {
        if gst_element_set_state(element, state) == GST_STATE_CHANGE_FAILURE { throw stateFailure() }
        try settle(cancellation)
    }

    /// Waits until the requested state is reached; blocks.
    func settle(_ cancellation: OffPool.Cancellation) throws(MediaError) {
        let deadline = ContinuousClock.now + Self.stateDeadline
        while true {
            let outcome = gst_element_get_state(element, nil, nil, 50_000_000)
            if let failure = reports.failure { throw failure }
            if outcome == GST_STATE_CHANGE_FAILURE { throw stateFailure() }
            if outcome != GST_STATE_CHANGE_ASYNC { return }
            try cancellation.check()
            if ContinuousClock.now > deadline {
                throw MediaError(.failed, "The sound pipeline did not start within \(Self.stateDeadline).")
            }
        }
    }

    /// Why a state is not reached. The reason may arrive from another thread shortly after the refusal; blocks until
    /// then.
    private func stateFailure() -> MediaError {
        let deadline = ContinuousClock.now + Self.reasonDeadline
        while reports.failure == nil, ContinuousClock.now < deadline { g_usleep(2_000) }
        return reports.failure ?? MediaError(.failed, "The sound pipeline cannot start.")
    }

    /// Stops everything and resumes all waiting tasks; blocks.
    func shutDown() {
        gst_element_set_state(element, GST_STATE_NULL)
        reports.close()
    }

    /// Stops everything, even if the calling task is cancelled.
    func stop() async {
        await withCheckedContinuation { continuation in
            queue.submit {
                self.shutDown()
                continuation.resume()
            }
        }
    }
}

extension Pipeline {
    typealias TimeQuery = (UnsafeMutablePointer<GstElement>, GstFormat, UnsafeMutablePointer<gint64>) -> gboolean

    /// The result of a query for a time; `nil` while it is unknown.
    func time(_ query: TimeQuery) -> Duration? {
        var nanoseconds: gint64 = 0
        guard query(element, GST_FORMAT_TIME, &nanoseconds) != 0, nanoseconds >= 0 else { return nil }
        return .nanoseconds(Int64(nanoseconds))
    }

    /// How long the pipeline has been playing, by its own clock.
    var clockTime: Duration? {
        guard let clock = gst_element_get_clock(element) else { return nil }
        defer { gst_object_unref(clock) }
        let (now, base) = (gst_clock_get_time(clock), gst_element_get_base_time(element))
        return now >= base ? .nanoseconds(Int64(clamping: now - base)) : nil
    }

    /// Seeks exactly to a position and plays from there at `rate`; blocks until sound is ready.
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
                .unsupported, "Seeking is not possible in this sound.", remedy: "Play it from the beginning.")
        }
        try settle(cancellation)
    }
}

extension Pipeline {
    /// Asks the source to end, so that encoder and file can finish.
    func sendEnd() {
        gst_element_send_event(element, gst_event_new_eos())
    }

    /// Makes the element named `name` report the end of the sound after `duration`. The source then ends by itself, and
    /// the file is finished as at any other end.
    func endSound(of name: String, after duration: Duration) {
        let parts = duration.components
        let limit = max(0, parts.seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !limit.overflow else { return }
        let nanoseconds = GstClockTime(limit.partialValue + parts.attoseconds / 1_000_000_000)
        let probe: GstPadProbeCallback = { _, info, context in
            guard let info, let context, let data = info.pointee.data else { return GST_PAD_PROBE_OK }
            let limit = context.load(as: GstClockTime.self)
            let buffer = data.assumingMemoryBound(to: GstBuffer.self)
            let time = buffer.pointee.pts
            // The maximum value means “no time”.
            guard time != GstClockTime.max, time >= limit else { return GST_PAD_PROBE_OK }
            gst_mini_object_unref(data.assumingMemoryBound(to: GstMiniObject.self))
            info.pointee.data = nil
            info.pointee.ABI.abi.flow_ret = GST_FLOW_EOS
            return GST_PAD_PROBE_HANDLED
        }
        withElement(name) { child in
            guard let pad = gst_element_get_static_pad(child, "sink") else { return }
            defer { gst_object_unref(pad) }
            let context = UnsafeMutablePointer<GstClockTime>.allocate(capacity: 1)
            context.initialize(to: nanoseconds)
            gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, probe, context) { $0?.deallocate() }
        }
    }

    /// Suppresses an end that precedes any sound at the element named `name`, which would report a missing format. The
    /// failure that ended the source so early is reported anyway.
    func dropEndWithoutFormat(at name: String) {
        let probe: GstPadProbeCallback = { pad, info, _ in
            guard let pad, let data = info?.pointee.data,
                data.assumingMemoryBound(to: GstEvent.self).pointee.type == GST_EVENT_EOS
            else { return GST_PAD_PROBE_OK }
            return gst_pad_has_current_caps(pad) != 0 ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
        withElement(name) { child in
            guard let pad = gst_element_get_static_pad(child, "sink") else { return }
            defer { gst_object_unref(pad) }
            gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, probe, nil, nil)
        }
    }
}
