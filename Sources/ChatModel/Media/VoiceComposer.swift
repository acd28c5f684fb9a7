internal import ChatStore
public import Media
public import Observation

/// Records, reviews and hands over a voice message.
///
/// Recordings grow in a folder. What was interrupted, by a crash or an empty battery, is found there again and offered in
/// ``interrupted``.
@MainActor
@Observable
public final class VoiceComposer {
    public enum Phase: Sendable, Hashable {
        case idle, opening
        /// Held, or locked so that the finger is free.
        case recording(isLocked: Bool)
        case finishing
        /// It can be listened to, sent or thrown away.
        case reviewing
    }

    /// A recording that was never sent or thrown away.
    public struct Interrupted: Identifiable, Sendable, Hashable {
        public let path: String
        public let byteCount: Int64
        public var id: String { path }
    }

    public internal(set) var phase = Phase.idle
    /// How long has been recorded.
    public internal(set) var duration = Duration.zero
    /// How loud it was, 0…1, the latest last.
    public internal(set) var levels: [Float] = []
    /// What is reviewed: duration and peaks to draw, path to play.
    public internal(set) var message: VoiceMessage?
    public internal(set) var path: String?
    public internal(set) var interrupted: [Interrupted] = []
    /// The button was let go too soon: say that it is to be held.
    public internal(set) var wasTooShort = false
    /// Why recording failed, if it did.
    public internal(set) var problem: MediaError?

    /// So many bars are kept for drawing: a minute.
    static let keptLevels = 1200

    /// Where recordings grow.
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
    ///   - folder: where recordings grow, see ``folder(of:in:)``; made when it is needed.
    ///   - recorder: makes a recorder that writes to a path, away from the main thread; the microphone if nothing else is said.
    ///   - deliver: gets what is to be sent; the recording stays in the folder until it returns.
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

    /// Why recording failed, once for each time.
    public func takeProblem() -> MediaError? {
        // Reading what is not there must not change anything, or who observes it would read for ever.
        guard let problem else { return nil }
        self.problem = nil
        return problem
    }

    /// The button is held.
    public func press() async {
        wasTooShort = false
        problem = nil
        await perform(machine.pressed())
    }

    /// The button was let go: sent, unless it was locked or too short.
    public func release() async { await perform(machine.released(after: duration)) }

    /// Slid to the lock: the finger is free.
    public func lock() async { await perform(machine.lockedByPerson()) }

    /// Slid away, or thrown away in review.
    public func cancel() async { await perform(machine.cancelledByPerson()) }

    /// Ends a locked recording, to listen to it.
    public func stop() async { await perform(machine.stopPressed()) }

    /// Sends what is recorded or reviewed.
    public func send() async { await perform(machine.sendPressed()) }

    /// Files that are recorded, reviewed or handed over now.
    private var used: Set<String> { handedOver.union([path, recorder?.path].compactMap(\.self)) }

    /// Looks for what was interrupted earlier.
    public func findInterrupted() async {
        let found = await RecordingFolder(path: folder).recordings(besides: used)
        // What was begun meanwhile is not interrupted.
        interrupted = found.filter { !used.contains($0.path) }
    }

    /// Looks for what was interrupted earlier, and takes the newest of it for review.
    public func offerInterrupted() async {
        await findInterrupted()
        guard phase == .idle, let last = interrupted.last else { return }
        await review(last)
    }

    /// The conversation is closed: what is being recorded stays in its folder and is offered when it is opened again.
    public func close() async {
        if case .recording = phase { await stop() }
    }

    /// Takes an interrupted recording for review.
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
