/// Tries the candidates of a service in order, each with a head start before the next one is tried in parallel. The
/// first usable connection wins and the others are aborted.
///
/// SRV records define an order but do not reveal a dead server: one that is switched off or unreachable sends no
/// response, and waiting for the timeout is what users experience as "stuck connecting".
struct CandidateRace {
    /// The result of one candidate.
    struct Outcome: Sendable {
        var result: Result<EstablishedConnection, TransportError>
        var attempts: [ConnectionAttempt] = []
    }

    /// The result of all candidates.
    struct Finish: Sendable {
        var winner: EstablishedConnection?
        var errors: [TransportError] = []
        /// In the order of the candidates.
        var attempts: [ConnectionAttempt] = []
    }

    private enum Event: Sendable {
        case ended(Int, Outcome)
        case headStartOver(Int)
    }

    let candidates: [ConnectionCandidate]
    let delay: Duration
    /// No candidate starts after this time.
    let deadline: ContinuousClock.Instant
    let questions: TrustQuestions
    let stopsAtRefusal: Bool
    let progress: @Sendable (ConnectionProgress) -> Void
    /// Replaced in tests.
    var sleep: @Sendable (Duration) async -> Void = { await EventLoop.shared.sleep(for: $0) }
    let attempt: @Sendable (ConnectionCandidate) async -> Outcome

    func run() async -> Finish {
        await withTaskGroup(of: Event.self) { group in
            var next = 0
            var running = 0
            var errors: [TransportError] = []
            var attempts = [[ConnectionAttempt]](repeating: [], count: candidates.count)
            var reserve: EstablishedConnection?
            var isRefused = false
            func start() {
                guard next < candidates.count, ContinuousClock.now < deadline, !Task.isCancelled else { return }
                let number = next
                let candidate = candidates[number]
                next += 1
                running += 1
                progress(.connecting(candidate))
                group.addTask { .ended(number, await attempt(candidate)) }
                guard next < candidates.count else { return }
                group.addTask {
                    await sleep(delay)
                    return .headStartOver(number)
                }
            }
            start()
            while running > 0, let event = await group.next() {
                switch event {
                case .headStartOver(let number):
                    // While the user decides about a certificate, no new attempt starts.
                    if number == next - 1, reserve == nil, !questions.isOpen { start() }
                case .ended(let number, let outcome):
                    running -= 1
                    attempts[number] = outcome.attempts
                    switch outcome.result {
                    case .success(let connection):
                        // The reserve waited for the same decision of the user.
                        reserve?.transport.abort()
                        reserve = connection
                    case .failure(let error):
                        errors.append(error)
                        progress(.failed(outcome.failure(of: candidates[number], error)))
                        // After a refusal, the user is not asked again for the next host of the same domain.
                        if error.code == .certificateRefused && stopsAtRefusal {
                            isRefused = true
                            next = candidates.count
                            group.cancelAll()
                        } else if reserve == nil {
                            start()
                        }
                    }
                }
                // The user's decision takes precedence over the race: after a refusal no connection is used, not even
                // one that is ready in the moment before the refused one ends.
                if reserve != nil, !questions.isOpen, !(stopsAtRefusal && questions.isRefused) { break }
            }
            // Nor one that was ready only after the refused one had ended.
            if isRefused || stopsAtRefusal && questions.isRefused {
                reserve?.transport.abort()
                reserve = nil
            }
            group.cancelAll()
            for await case .ended(_, let outcome) in group {
                if case .success(let late) = outcome.result { late.transport.abort() }
            }
            for candidate in candidates[next...] where reserve == nil && !Task.isCancelled {
                attempts.append([ConnectionAttempt(target: "\(candidate)", outcome: "not tried: the time was over")])
            }
            return Finish(winner: reserve, errors: errors, attempts: Array(attempts.joined()))
        }
    }
}

extension CandidateRace.Outcome {
    fileprivate func failure(of candidate: ConnectionCandidate, _ error: TransportError) -> ConnectionAttempt {
        attempts.last ?? ConnectionAttempt(target: "\(candidate)", outcome: error.description)
    }
}
