internal import ChatStore
public import Media
public import Observation

/// Records a voice message, plays it back for review, and delivers it.
///
/// Recordings are written to a folder. One that was interrupted, by a crash or an empty battery, is found there again
/// and offered in ``interrupted``.
@MainActor
@Observable
public final class VoiceComposer {
    public enum Phase: Sendable, Hashable {
        case idle, opening
        /// While the button is held, or hands-free once it is locked.
        case recording(isLocked: Bool)
        case finishing
        /// Can be played, sent or discarded.
        case reviewing
    }

    /// A recording that was neither sent nor discarded.
    public struct Interrupted: Identifiable, Sendable, Hashable {
        public let path: String
        public let byteCount: Int64
        public var id: String { path }
    }

    public internal(set) var phase = Phase.idle
    /// The duration recorded so far.
    public internal(set) var duration = Duration.zero
    /// The levels, 0…1, latest last.
    public internal(set) var levels: [Float] = []
    /// The recording under review: duration, peaks to draw, and path to play.
    public internal(set) var message: VoiceMessage?
    public internal(set) var path: String?
    public internal(set) var interrupted: [Interrupted] = []
    /// The button was released too soon: explain that it has to be held.
    public internal(set) var wasTooShort = false
    /// Why recording failed, if it did.
    public internal(set) var problem: MediaError?

    /// The number of levels kept for drawing: one minute.
    static let levelLimit = 1200

    /// The folder of the recordings.
    @ObservationIgnored public let folder: String
    @ObservationIgnored let makeRecorder: @Sendable (String) throws(MediaError) -> VoiceRecorder
    @ObservationIgnored let deliver: @MainActor (VoiceMessage) async throws -> Void
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored var machine = VoiceRecordingMachine()
    @ObservationIgnored var recorder: VoiceRecorder?
    @ObservationIgnored var count = 0
    /// Files that are being delivered.
    @ObservationIgnored var handedOver: Set<String> = []

    /// - Parameters:
    ///   - folder: the folder of the recordings, see ``folder(of:in:)``; created on demand.
    ///   - recorder: creates a recorder that writes to a path, off the main thread; the microphone by default.
    ///   - deliver: sends the message; the recording stays in the folder until it returns.
    public init(
        folder: String, environment: ModelEnvironment = ModelEnvironment(),
        recorder: @escaping @Sendable (String) throws(MediaError) -> VoiceRecorder = { path throws(MediaError) in
            try VoiceRecorder(from: .microphone(), to: path)
        },
        deliver: @escaping @MainActor (VoiceMessage) async throws -> Void
    ) {
        self.folder = folder
        self.environment = environment
        makeRecorder = recorder
        self.deliver = deliver
    }

    /// Returns why recording failed, once for each failure.
    public func takeProblem() -> MediaError? {
        // Without a problem nothing may be written, or an observer would loop for ever.
        guard let problem else { return nil }
        self.problem = nil
        return problem
    }

    /// The button was pressed.
    public func press() async {
        wasTooShort = false
        problem = nil
        await perform(machine.pressed())
    }

    /// The button was released: sends, unless the recording is locked or too short.
    public func release() async { await perform(machine.released(after: duration)) }

    /// Slid to the lock: continues hands-free.
    public func lock() async { await perform(machine.lockedByPerson()) }

    /// Slid away, or discarded during review.
    public func cancel() async { await perform(machine.cancelledByPerson()) }

    /// Ends a locked recording for review.
    public func stop() async { await perform(machine.stopPressed()) }

    /// Sends the recording.
    public func send() async { await perform(machine.sendPressed()) }

    /// Files that are being recorded, reviewed or delivered.
    private var used: Set<String> { handedOver.union([path, recorder?.path].compactMap(\.self)) }

    /// Looks for interrupted recordings.
    public func findInterrupted() async {
        let found = await RecordingFolder(path: folder).recordings(besides: used)
        // A recording started meanwhile is not interrupted.
        interrupted = found.filter { !used.contains($0.path) }
    }

    /// Looks for interrupted recordings, and reviews the newest one.
    public func offerInterrupted() async {
        await findInterrupted()
        guard phase == .idle, let last = interrupted.last else { return }
        await review(last)
    }

    /// The conversation is closed: a recording in progress stays in its folder and is offered when it is opened again.
    public func close() async {
        if case .recording = phase { await stop() }
    }

    /// Reviews an interrupted recording.
    public func review(_ recording: Interrupted) async {
        do throws(MediaError) {
            let found = try await VoiceMessage.make(fromFile: recording.path)
            guard machine.state == .idle else { return }
            message = found
            path = recording.path
            duration = .milliseconds(found.milliseconds)
            interrupted.removeAll { $0.path == recording.path }
            await perform(machine.offered())
        } catch {
            problem = error
        }
    }

}
