import CGStreamer
import Synchronization

/// What a pipeline has said on its bus: the end, the first failure, levels.
///
/// GStreamer calls ``received(_:)`` on its streaming threads, so no main loop is needed to hear it.
final class PipelineReports: Sendable {
    private struct State {
        var hasEnded = false
        var isClosed = false
        var failure: MediaError?
        var missing: MediaError?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())
    private let levelReported: (@Sendable (VoiceLevel) -> Void)?

    init(levelReported: (@Sendable (VoiceLevel) -> Void)? = nil) {
        self.levelReported = levelReported
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    /// Whether the pipeline was stopped by hand.
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var failure: MediaError? { state.withLock { $0.failure } }

    /// Forgets the end, after a seek away from it.
    func forgetEnd() {
        state.withLock { $0.hasEnded = false }
    }

    /// Suspends until the pipeline has ended or failed, or the task is cancelled.
    func waitForEnd() async throws(MediaError) {
        let identifier = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.hasEnded || state.isClosed || state.failure != nil || Task.isCancelled { return true }
                    state.waiters[identifier] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: identifier) }?.resume()
        }
        if let failure { throw failure }
        if !hasEnded, !isClosed { throw .cancelled }
    }

    /// Ends the waiting of everybody, for a pipeline that is stopped by hand.
    func close() {
        wake { $0.isClosed = true }
    }

    func received(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_EOS:
            wake { $0.hasEnded = true }
        case GST_MESSAGE_ERROR:
            let error = PipelineReports.error(in: message)
            wake { state in
                if state.failure == nil { state.failure = state.missing ?? error }
            }
        case GST_MESSAGE_ELEMENT:
            if gst_is_missing_plugin_message(message) != 0 {
                let missing = PipelineReports.missingPlugin(in: message)
                state.withLock { $0.missing = $0.missing ?? missing }
            } else if let levelReported, let level = VoiceLevel(message) {
                levelReported(level)
            }
        default:
            break
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }
}
