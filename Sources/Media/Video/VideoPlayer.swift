import CGStreamer
import Dispatch
import Synchronization

/// Plays a video as a sequence of pictures, with its sound.
///
///     let player = try await VideoPlayer(path: path, file: file, side: 640)
///     try await player.play()
///     for await frame in player.frames() { show(frame) }    // until it has ended or is stopped
///
/// Decoding happens on threads of GStreamer; a picture that comes too late is left out. Playback ends when the last
/// reference is released.
public final class VideoPlayer: Sendable {
    public let duration: Duration
    private let pipeline: Pipeline
    private let isStopped = Mutex(false)

    /// - Parameters:
    ///   - file: of that path.
    ///   - side: the longest side of the pictures in pixels.
    ///   - output: of the sound. Without a sound server the video is silent.
    public init(
        path: String, file: VideoFile, side: Int, output: VoicePlayer.Output = .speaker()
    ) async throws(MediaError) {
        let input = try await OffPool.sound.run { _ throws(MediaError) in try AudioInput(path: path) }
        duration = file.duration
        let size = PixelBuffer.fit(width: file.width, height: file.height, into: max(1, side))
        let picture =
            "\(VideoFile.decodingStart) ! \(VideoFrame.format),width=\(size.width),height=\(size.height)"
            + " ! appsink name=output sync=true max-buffers=2 drop=true"
        do throws(MediaError) {
            pipeline = try await Self.open(picture, file.hasSound ? output : nil, input)
        } catch {
            guard file.hasSound, error.code == .noSoundServer || error.code == .noSoundDevice else { throw error }
            pipeline = try await Self.open(picture, nil, input)
        }
    }

    private static func open(
        _ picture: String, _ output: VoicePlayer.Output?, _ input: AudioInput
    ) async throws(MediaError) -> Pipeline {
        let sound =
            switch output {
            case .speaker?:
                " decoder. ! queue ! audioconvert ! audioresample ! pulsesink name=\(PipelineReports.soundElement)"
            case .silent?:
                " decoder. ! queue ! audioconvert ! fakesink name=\(PipelineReports.soundElement) sync=true"
            case nil: ""
            }
        let pipeline = try Pipeline(picture + sound, input: input, decodes: .video)
        if case .speaker(let device, let server)? = output { pipeline.selectSound(device: device, server: server) }
        try await pipeline.queue.run { cancellation throws(MediaError) in
            do throws(MediaError) {
                try pipeline.reach(GST_STATE_PAUSED, cancellation)
            } catch {
                pipeline.shutDown()
                throw error
            }
        }
        return pipeline
    }

    /// Continues at the current position; after the end, starts at the beginning.
    public func play() async throws(MediaError) {
        if pipeline.reports.hasEnded { try await seek(to: .zero) }
        try await reach(GST_STATE_PLAYING)
    }

    /// Pauses at the current position.
    public func pause() async throws(MediaError) { try await reach(GST_STATE_PAUSED) }

    public func seek(to position: Duration) async throws(MediaError) {
        let (pipeline, target) = (pipeline, min(max(.zero, position), duration))
        try await pipeline.queue.run { cancellation throws(MediaError) in
            try pipeline.seek(to: target, rate: 1, cancellation)
        }
    }

    /// Stops playback permanently and ends ``frames()``.
    public func stop() async {
        isStopped.withLock { $0 = true }
        await pipeline.stop()
    }

    public var position: Duration {
        pipeline.reports.hasEnded ? duration : min(duration, pipeline.time(gst_element_query_position) ?? .zero)
    }

    /// Whether the end was reached.
    public var hasEnded: Bool { pipeline.reports.hasEnded }

    private func reach(_ state: GstState) async throws(MediaError) {
        let pipeline = pipeline
        try await pipeline.queue.run { cancellation throws(MediaError) in try pipeline.reach(state, cancellation) }
    }

    /// How long a wait for a picture may take before it is asked whether the player was stopped, in nanoseconds.
    private static let waitingTime: GstClockTime = 100_000_000

    /// The pictures from now on; of several that wait, only the newest. Ends with the video, with the player, or with the
    /// task that reads it.
    public func frames() -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        let isOver = Over()
        continuation.onTermination = { _ in isOver.flag.store(true, ordering: .relaxed) }
        DispatchQueue(label: "media.video").async { [weak self] in
            while !isOver.flag.load(ordering: .relaxed), let self, !self.isStopped.withLock({ $0 }) {
                if let frame = self.pipeline.nextFrame(Self.waitingTime) {
                    continuation.yield(frame)
                } else if self.pipeline.reports.failure != nil || self.pipeline.reports.isClosed {
                    break
                } else if self.pipeline.reports.hasEnded {
                    break
                }
            }
            continuation.finish()
        }
        return stream
    }

    private final class Over: Sendable { let flag = Atomic(false) }
}
