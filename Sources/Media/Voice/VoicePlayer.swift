import CGStreamer
import Synchronization

/// Plays a voice message.
///
/// ```swift
/// let player = try await VoicePlayer(path: path)
/// try await player.play()
/// for try await position in player.positions { draw(position / player.duration) }   // ends with the sound
/// ```
///
/// Nothing here needs a main loop. When the last reference goes, the sound ends.
public final class VoicePlayer: Sendable {
    public enum Output: Sendable, Hashable {
        /// A loudspeaker of the sound server; `nil` is the default one.
        case speaker(device: String? = nil, server: SoundServer? = nil)
        /// Nowhere, but in the same time: for tests, and for machines without sound.
        case silent
    }

    /// How fast is played; the pitch of the voice stays.
    public enum Rate: Double, Sendable, Hashable, CaseIterable {
        case normal = 1
        case faster = 1.5
        case double = 2
    }

    private struct State {
        var rate = Rate.normal
        var isStopped = false
        var isPlaying = false
    }

    /// How often ``positions`` looks: twenty times a second is a smooth line.
    static let positionInterval: Duration = .milliseconds(50)

    /// How long the sound lasts at normal rate. For some types, such as MP3, an estimate of the file's beginning.
    public let duration: Duration
    /// Decided by the bytes.
    public let type: MediaType

    let pipeline: Pipeline
    private let state = Mutex(State())

    /// Opens a file and the output; nothing is heard yet. Throws `noSoundServer` when there is none.
    public convenience init(path: String, output: Output = .speaker()) async throws(MediaError) {
        let input = try await OffPool.sound.run { _ throws(MediaError) in try AudioInput(path: path) }
        try await self.init(input, output)
    }

    /// Opens the bytes of a file and the output; nothing is heard yet.
    public convenience init(bytes: [UInt8], output: Output = .speaker()) async throws(MediaError) {
        let input = try await OffPool.sound.run { _ throws(MediaError) in try AudioInput(bytes: bytes) }
        try await self.init(input, output)
    }

    private init(_ input: AudioInput, _ output: Output) async throws(MediaError) {
        let sink =
            switch output {
            case .speaker: "pulsesink name=\(PipelineReports.soundElement)"
            case .silent: "fakesink name=\(PipelineReports.soundElement) sync=true"
            }
        let pipeline = try Pipeline(
            Pipeline.decodingStart + " ! scaletempo ! audioconvert ! audioresample ! \(sink)", input: input)
        if case .speaker(let device, let server) = output { pipeline.selectSound(device: device, server: server) }
        self.pipeline = pipeline
        type = input.type
        duration = try await pipeline.queue.run { cancellation throws(MediaError) in
            do throws(MediaError) {
                try pipeline.reach(GST_STATE_PAUSED, cancellation)
            } catch {
                pipeline.shutDown()
                throw error
            }
            return pipeline.time(gst_element_query_duration) ?? .zero
        }
    }

    /// Plays on from where it is; from the beginning after the end.
    public func play() async throws(MediaError) {
        if pipeline.reports.hasEnded { try await seek(to: .zero) }
        try await change(GST_STATE_PLAYING, isPlaying: true)
    }

    /// Stays where it is.
    public func pause() async throws(MediaError) {
        try await change(GST_STATE_PAUSED, isPlaying: false)
    }

    /// Ends the sound for good and lets the output go; everybody who waits for the end goes on.
    public func stop() async {
        state.withLock { state in
            state.isStopped = true
            state.isPlaying = false
        }
        await pipeline.stop()
    }

    /// Goes to a place in the sound, kept within it.
    public func seek(to position: Duration) async throws(MediaError) {
        let target = min(max(.zero, position), duration)
        try await seek(to: target, rate: rate)
    }

    public var rate: Rate { state.withLock { $0.rate } }

    /// Whether sound comes, or would come but for the end.
    public var isPlaying: Bool { state.withLock { $0.isPlaying } && !pipeline.reports.hasEnded }

    /// Changes the rate at the place where it is.
    public func setRate(_ rate: Rate) async throws(MediaError) {
        let position = position
        state.withLock { $0.rate = rate }
        try await seek(to: position, rate: rate)
    }

    /// Where it is, in the time of the sound: independent of the rate.
    public var position: Duration {
        if pipeline.reports.hasEnded { return duration }
        return min(duration, pipeline.time(gst_element_query_position) ?? .zero)
    }

    /// Plays and suspends until the end. Cancellation ends the sound and throws `cancelled`.
    public func playToEnd() async throws(MediaError) {
        do throws(MediaError) {
            try await play()
            try await pipeline.reports.waitForEnd()
        } catch {
            await stop()
            throw error
        }
    }

    private func change(_ target: GstState, isPlaying: Bool) async throws(MediaError) {
        try requireRunning()
        let pipeline = pipeline
        try await pipeline.queue.run { cancellation throws(MediaError) in
            try pipeline.reach(target, cancellation)
        }
        state.withLock { $0.isPlaying = isPlaying && !$0.isStopped }
    }

    private func seek(to target: Duration, rate: Rate) async throws(MediaError) {
        try requireRunning()
        let pipeline = pipeline
        try await pipeline.queue.run { cancellation throws(MediaError) in
            try pipeline.seek(to: target, rate: rate.rawValue, cancellation)
        }
    }

    private func requireRunning() throws(MediaError) {
        if state.withLock({ $0.isStopped }) {
            throw MediaError(.wrongState, "The player was stopped.", remedy: "Make a new player.")
        }
        if let failure = pipeline.reports.failure { throw failure }
    }
}
