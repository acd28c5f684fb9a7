import Synchronization

/// Asks the user one question at a time while several connections to the same service are in progress: once about each
/// certificate, and no more after a refusal.
final class TrustQuestions: Sendable {
    private struct State {
        var answers: [[UInt8]: Task<Bool, Never>] = [:]
        var last: Task<Bool, Never>?
        var openCount = 0
        var isRefused = false
    }

    private let state = Mutex(State())

    /// Whether a question is open.
    var isOpen: Bool { state.withLock { $0.openCount > 0 } }

    /// Whether one of the questions was answered with no.
    var isRefused: Bool { state.withLock { $0.isRefused } }

    func ask(_ evaluation: TrustEvaluation, _ question: @escaping TrustPolicy.Question) async -> Bool {
        let key = evaluation.certificates.first?.sha256Fingerprint ?? []
        let answer = state.withLock { state in
            state.openCount += 1
            if let known = state.answers[key] { return known }
            let earlier = state.last
            let answer = Task {
                if let earlier, await !earlier.value { return false }
                return await question(evaluation)
            }
            state.answers[key] = answer
            state.last = answer
            return answer
        }
        let isAccepted = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.cancel()
        }
        state.withLock { state in
            state.openCount -= 1
            if !isAccepted { state.isRefused = true }
        }
        return isAccepted
    }
}

extension TrustPolicy {
    /// The same policy, with its questions passed through `questions`.
    func asking(through questions: TrustQuestions) -> TrustPolicy {
        withQuestion { question in { await questions.ask($0, question) } }
    }
}
