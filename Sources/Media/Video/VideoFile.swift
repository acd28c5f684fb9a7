import CGStreamer

/// The facts about a video that are known before it is played, and a still picture of its beginning.
///
///     let video = try await VideoFile.inspect(path: path)
///     video.still.bytes                     // a JPEG of at most 640 × 640 pixels
public struct VideoFile: Sendable, Hashable {
    /// Determined from the bytes.
    public let type: MediaType
    /// In pixels, as it is shown: upright and with square pixels.
    public let width: Int
    public let height: Int
    /// Zero if it is unknown.
    public let duration: Duration
    public let hasSound: Bool
    /// The first picture.
    public let still: Picture

    /// The longest side of ``still`` in pixels.
    public static let stillSide = 640
    /// How long the first picture may take to be decoded, in nanoseconds.
    private static let firstPictureDeadline: GstClockTime = 10_000_000_000

    public var milliseconds: Int64 { Int64(duration / .milliseconds(1)) }

    /// Decodes the beginning of a file, off the caller's thread.
    public static func inspect(path: String) async throws(MediaError) -> VideoFile {
        try await OffPool.sound.run { cancellation throws(MediaError) in
            try inspect(try AudioInput(path: path), cancellation)
        }
    }

    /// Upright, with square pixels, in the form of ``VideoFrame``.
    static let decodingStart =
        "filesrc name=source ! decodebin name=decoder ! queue ! videoconvert ! videoflip video-direction=auto"
        + " ! videoscale ! videoconvert"

    private static func inspect(
        _ input: AudioInput, _ cancellation: OffPool.Cancellation
    ) throws(MediaError) -> VideoFile {
        guard input.type.kind == .video else {
            throw MediaError(.unsupported, "The file is \(input.type), not a video.")
        }
        let pipeline = try Pipeline(
            decodingStart
                + " ! \(VideoFrame.format),pixel-aspect-ratio=1/1 ! appsink name=output sync=false max-buffers=1",
            input: input, decodes: .video)
        defer { pipeline.shutDown() }
        try pipeline.reach(GST_STATE_PAUSED, cancellation)
        guard let frame = pipeline.firstFrame(firstPictureDeadline) else {
            throw pipeline.reports.failure ?? .corrupt("it has no picture")
        }
        // One pad for each stream.
        let streams = pipeline.withElement("decoder") { Int($0.pointee.numsrcpads) } ?? 1
        let still = try Picture(frame: frame, side: stillSide)
        return VideoFile(
            type: input.type, width: frame.width, height: frame.height,
            duration: pipeline.time(gst_element_query_duration) ?? .zero, hasSound: streams > 1, still: still)
    }
}

/// One picture of a video: red, green, blue and opacity of each pixel, row by row without padding.
public struct VideoFrame: Sendable {
    public let pixels: [UInt8]
    public let width: Int
    public let height: Int

    /// The form in which frames leave a pipeline.
    static let format = "video/x-raw,format=RGBA"
    /// More pixels are refused: a frame of this size has 256 MiB.
    private static let pixelLimit = 64 << 20

    /// `nil` for a sample without such a picture.
    init?(_ sample: OpaquePointer) {
        guard let caps = gst_sample_get_caps(sample), let structure = gst_caps_get_structure(caps, 0),
            let buffer = gst_sample_get_buffer(sample)
        else { return nil }
        var (width, height): (gint, gint) = (0, 0)
        guard gst_structure_get_int(structure, "width", &width) != 0,
            gst_structure_get_int(structure, "height", &height) != 0, width > 0, height > 0,
            Int(width) * Int(height) <= Self.pixelLimit
        else { return nil }
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(buffer, &map) }
        let count = Int(width) * Int(height) * 4
        guard Int(map.size) >= count else { return nil }
        pixels = Array(UnsafeRawBufferPointer(start: map.data, count: count))
        (self.width, self.height) = (Int(width), Int(height))
    }
}

extension Pipeline {
    /// Passes the sink named `output` to `body`.
    func withSink<Value>(_ body: (UnsafeMutablePointer<GstAppSink>) -> Value) -> Value? {
        withElement("output") { body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstAppSink.self)) }
    }

    /// The picture at which a paused pipeline stands; blocks for that many nanoseconds at most.
    func firstFrame(_ deadline: GstClockTime) -> VideoFrame? {
        withSink { sink in Self.frame(gst_app_sink_try_pull_preroll(sink, deadline)) }.flatMap { $0 }
    }

    /// The next picture of a running pipeline; blocks for that many nanoseconds at most.
    func nextFrame(_ deadline: GstClockTime) -> VideoFrame? {
        withSink { sink in Self.frame(gst_app_sink_try_pull_sample(sink, deadline)) }.flatMap { $0 }
    }

    private static func frame(_ sample: OpaquePointer?) -> VideoFrame? {
        guard let sample else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(sample).assumingMemoryBound(to: GstMiniObject.self)) }
        return VideoFrame(sample)
    }
}
