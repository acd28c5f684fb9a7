import CGStreamer
import Dispatch

/// One GStreamer pipeline: built from a constant description, watched, and shut down when the last reference goes.
///
/// Sendable without the compiler's proof: the stored pointer never changes, and GStreamer's elements may be used from any
/// thread (every call takes the object's own locks). Changes of state are made one after another on `queue`.
final class Pipeline: @unchecked Sendable {
    /// How long a change of state may take: opening a file or a sound server is a matter of milliseconds.
    static let stateDeadline: Duration = .seconds(10)
    /// How long a decoder may give nothing before it is called stuck.
    static let stallDeadline: Duration = .seconds(20)

    /// How long the reason for a refused state may take to arrive.
    static let reasonDeadline: Duration = .seconds(2)

    let element: UnsafeMutablePointer<GstElement>
    let reports: PipelineReports
    private let input: AudioInput?
    let queue = OffPool(DispatchQueue(label: "media.pipeline"))

    /// `description` is in the notation of gst-launch and never holds data; names and paths are set as properties.
    init(_ description: String, input: AudioInput? = nil, reports: PipelineReports = PipelineReports())
        throws(MediaError)
    {
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
            allowOnlySound(from: "decoder")
        }
    }

    deinit {
        // Stopping waits for the streaming threads, which must not happen on whatever thread let go last.
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

    /// The element of this name with a reference of its own, only for the time of `body`.
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

    /// Waits until the state that was asked for is reached; blocks.
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

    /// Why a state is not reached. The reason may come from another thread a moment later than the refusal; blocks until then.
    private func stateFailure() -> MediaError {
        let deadline = ContinuousClock.now + Self.reasonDeadline
        while reports.failure == nil, ContinuousClock.now < deadline { g_usleep(2_000) }
        return reports.failure ?? MediaError(.failed, "The sound pipeline cannot start.")
    }

    /// Stops everything and ends the waiting of everybody; blocks.
    func shutDown() {
        gst_element_set_state(element, GST_STATE_NULL)
        reports.close()
    }

    /// Stops everything, also when the task that asks is cancelled.
    func stop() async {
        await withCheckedContinuation { continuation in
            queue.submit {
                self.shutDown()
                continuation.resume()
            }
        }
    }
}
