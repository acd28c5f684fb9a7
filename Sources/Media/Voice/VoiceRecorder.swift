import CGStreamer
import Glibc
import Synchronization

/// Records a voice message from the microphone into an Ogg/Opus file.
///
/// ```swift
/// let recorder = try VoiceRecorder(from: .microphone(), to: path)
/// try await recorder.start()
/// for await level in recorder.levels { draw(level.peak) }   // ends with the recording
/// let message = try await recorder.stop()
/// ```
///
/// The file grows during the recording, by a page every half second: after any interruption, everything up to then can
/// be played. A recorder records once. When the last reference is released, recording ends and the file stays.
public final class VoiceRecorder: Sendable {
    public enum Source: Sendable, Hashable {
        /// A microphone of the sound server; `nil` is the default.
        case microphone(device: String? = nil, server: SoundServer? = nil)
        /// A sound file instead of a microphone, read as fast as it can be encoded.
        case file(path: String)
    }

    /// The default maximum duration: a forgotten recorder must not fill the disk.
    public static let defaultMaximumDuration: Duration = .seconds(15 * 60)
    /// The timeout for finishing the file, which takes milliseconds.
    static let finishDeadline: Duration = .seconds(5)
    /// Levels buffered for a slow reader, two minutes; older ones are dropped.
    static let keptLevels = 2400

    private enum State {
        case prepared, recording, stopped
    }

    /// The level, twenty times a second; ends with the recording. For one reader.
    public let levels: AsyncStream<VoiceLevel>
    /// The path of the recording.
    public let path: String

    private let continuation: AsyncStream<VoiceLevel>.Continuation
    private let pipeline: Pipeline
    private let state = Mutex(State.prepared)

    /// Creates the file, readable only by its owner. ``start()`` opens the microphone.
    public init(
        from source: Source, to path: String, maximumDuration: Duration = VoiceRecorder.defaultMaximumDuration
    ) throws(MediaError) {
        self.path = path
        (levels, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.keptLevels))
        let continuation = continuation
        let reports = PipelineReports { continuation.yield($0) }
        let start: String
        var input: AudioInput?
        switch source {
        case .microphone:
            // A buffer of two seconds, and a separate thread for the encoder: a busy machine must not lose speech.
            start =
                "pulsesrc name=\(PipelineReports.soundElement) buffer-time=2000000 ! queue max-size-time=10000000000"
                + " max-size-bytes=0 max-size-buffers=0 ! audioconvert ! audioresample"
        case .file(let path):
            start = Pipeline.decodingStart
            input = try AudioInput(path: path)
        }
        pipeline = try Pipeline(
            start + " ! audio/x-raw,rate=48000,channels=1"
                + " ! level name=level interval=\(VoiceLevel.interval) post-messages=true"
                + " ! \(VoiceMessage.encodingEnd) ! filesink name=file buffer-mode=unbuffered",
            input: input, reports: reports)
        try Self.create(path)
        pipeline.setString("location", of: "file", to: path)
        if case .microphone(let device, let server) = source { pipeline.selectSound(device: device, server: server) }
        pipeline.dropEndWithoutFormat(at: "level")
        pipeline.endSound(of: "level", after: maximumDuration)
    }

    deinit {
        continuation.finish()
    }

    /// Opens the microphone and starts recording. Throws `noSoundServer` or `noSoundDevice` if there is none.
    public func start() async throws(MediaError) {
        let isFirst = state.withLock { state in
            defer { if state == .prepared { state = .recording } }
            return state == .prepared
        }
        guard isFirst else {
            throw MediaError(.wrongState, "The recorder was already started.", remedy: "Create a new recorder.")
        }
        let pipeline = pipeline
        do throws(MediaError) {
            try await pipeline.queue.run { cancellation throws(MediaError) in
                try pipeline.reach(GST_STATE_PLAYING, cancellation)
            }
        } catch {
            await end()
            throw error
        }
    }

    /// Suspends until the recording ends by itself: at the maximum duration, at the end of a source file, or by a
    /// failure, which is thrown and leaves what was recorded. Cancellation ends the recording and throws `cancelled`;
    /// the file is finished anyway.
    public func waitForEnd() async throws(MediaError) -> VoiceMessage {
        do throws(MediaError) {
            try await pipeline.reports.waitForEnd()
        } catch {
            await finish()
            throw error
        }
        return try await stop()
    }

    /// Ends the recording, finishes the file and returns the message; later calls return it again.
    public func stop() async throws(MediaError) -> VoiceMessage {
        if state.withLock({ $0 == .prepared }) {
            throw MediaError(.wrongState, "The recorder was not started.", remedy: "Start it first.")
        }
        await finish()
        if let failure = pipeline.reports.failure { throw failure }
        return try await VoiceMessage.make(fromFile: path)
    }

    /// Ends the recording and deletes the file.
    public func discard() async {
        await end()
        unlink(path)
    }

    /// Lets the encoder and the file finish, then stops. A cancelled task waits for this too, so that the file is
    /// complete.
    private func finish() async {
        let pipeline = pipeline
        pipeline.queue.submit {
            let reports = pipeline.reports
            if !reports.hasEnded, !reports.isClosed, reports.failure == nil { pipeline.sendEnd() }
        }
        let ending = Task { try? await pipeline.reports.waitForEnd() }
        let deadline = Task {
            try? await Task.sleep(for: Self.finishDeadline)
            if !Task.isCancelled { pipeline.reports.close() }
        }
        _ = await ending.value
        deadline.cancel()
        await end()
    }

    private func end() async {
        state.withLock { $0 = .stopped }
        await pipeline.stop()
        continuation.finish()
    }

    private static func create(_ path: String) throws(MediaError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw MediaError(
                .fileUnwritable, "“\(path)” cannot be created.", remedy: "Check its folder and the free space.",
                cause: String(cString: strerror(errno)))
        }
        close(descriptor)
    }
}
