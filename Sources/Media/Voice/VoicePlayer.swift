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
/// No main loop is needed. Playback ends when the last reference is released.
public final class VoicePlayer: Sendable {
    public enum Output: Sendable, Hashable {
        /// A loudspeaker of the sound server; `nil` is the default.
        case speaker(device: String? = nil, server: SoundServer? = nil)
        /// No output, but in real time: for tests, and for machines without sound.
        case silent
    }

    /// The playback speed; the pitch of the voice stays the same.
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

    /// How often ``positions`` is updated: twenty times a second gives smooth motion.
    static let positionInterval: Duration = .milliseconds(50)

    /// The duration at normal speed. For some types, such as MP3, an estimate from the beginning of the file.
    public let duration: Duration
    /// Determined from the bytes.
    public let type: MediaType

    let pipeline: Pipeline
    private let state = Mutex(State())

    /// Opens a file and the output without playing. Throws `noSoundServer` if there is none.
    public convenience init(path: String, output: Output = .speaker()) async throws(MediaError) {
        let input = try await OffPool.sound.run { _ throws(MediaError) in try AudioInput(path: path) }
        try await self.init(input, output)
    }

    /// Opens the bytes of a file and the output without playing.
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

    /// Continues at the current position; after the end, starts at the beginning.
    public func play() async throws(MediaError) {
        if pipeline.reports.hasEnded { try await seek(to: .zero) }
        try await change(GST_STATE_PLAYING, isPlaying: true)
    }

    /// Pauses at the current position.
    public func pause() async throws(MediaError) {
        try await change(GST_STATE_PAUSED, isPlaying: false)
    }

    /// Stops playback permanently and releases the output; all tasks that wait for the end resume.
    public func stop() async {
        state.withLock { state in
            state.isStopped = true
            state.isPlaying = false
        }
        await pipeline.stop()
    }

    /// Seeks to a position, clamped to the duration.
    public func seek(to position: Duration) async throws(MediaError) {
        let target = min(max(.zero, position), duration)
        try await seek(to: target, rate: rate)
    }

    public var rate: Rate { state.withLock { $0.rate } }

    /// Whether the player is in the playing state.
    public var isPlaying: Bool { state.withLock { $0.isPlaying } && !pipeline.reports.hasEnded }

    /// Changes the speed at the current position.
    public func setRate(_ rate: Rate) async throws(MediaError) {
        let position = position
        state.withLock { $0.rate = rate }
        try await seek(to: position, rate: rate)
    }

    /// The current position, independent of the playback speed.
    public var position: Duration {
        if pipeline.reports.hasEnded { return duration }
        return min(duration, pipeline.time(gst_element_query_position) ?? .zero)
    }

    /// Plays and suspends until the end. Cancellation stops playback and throws `cancelled`.
    package func playToEnd() async throws(MediaError) {
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
            throw MediaError(.wrongState, "The player was stopped.", remedy: "Create a new player.")
        }
        if let failure = pipeline.reports.failure { throw failure }
    }
}

extension VoicePlayer {
    /// The position of the player, whenever it changes, until the sound has ended or the player is stopped.
    public var positions: Positions { Positions(player: self) }

    /// The positions of a player. It is queried only while a task waits for the next one, and ends when that task is
    /// cancelled.
    public struct Positions: AsyncSequence, Sendable {
        public typealias Element = Duration
        public typealias Failure = MediaError

        let player: VoicePlayer

        public func makeAsyncIterator() -> Iterator {
            Iterator(player: player)
        }

        public struct Iterator: AsyncIteratorProtocol {
            let player: VoicePlayer
            private var last: Duration?
            private var isFinished = false

            init(player: VoicePlayer) {
                self.player = player
            }

            /// The next position, at most twenty per second; the last one is the duration. `nil` after the end.
            public mutating func next() async throws(MediaError) -> Duration? {
                try await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws(MediaError) -> Duration? {
                let reports = player.pipeline.reports
                while !isFinished, !Task.isCancelled {
                    if last != nil { try? await Task.sleep(for: VoicePlayer.positionInterval) }
                    isFinished = reports.failure != nil || reports.isClosed || reports.hasEnded
                    if let failure = reports.failure { throw failure }
                    if reports.isClosed { return nil }
                    let position = player.position
                    if isFinished || position != last {
                        last = position
                        return position
                    }
                }
                return nil
            }
        }
    }
}
