import CGStreamer

extension Pipeline {
    /// Asks the source to end, so that encoder and file can finish.
    func sendEnd() {
        gst_element_send_event(element, gst_event_new_eos())
    }

    /// Makes the element named `name` report the end of the sound once it has passed on `duration` of it. The source then ends
    /// by itself, and the file is finished as at any other end.
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
            // The greatest number stands for “no time”.
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

    /// Keeps an end that comes before any sound from the element named `name`, which would complain about the missing format.
    /// The failure that made the source end so early is reported all the same.
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
