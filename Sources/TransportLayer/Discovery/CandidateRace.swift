/// Tries the candidates of a service in their order, each with a head start before the next one is tried beside it; the first one that is
/// usable wins and the others are broken off.
///
/// SRV records give an order and no way to tell a dead server: one that is switched off or cut off answers nothing, and waiting for it to
/// time out is what users know as "stuck connecting".
struct CandidateRace {
    /// What came of one candidate.
    struct Outcome: Sendable {
        var result: Result<EstablishedConnection, TransportError>
        var attempts: [ConnectionAttempt] = []
    }

    /// What came of all.
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
    /// Candidates are not begun after this.
    let deadline: ContinuousClock.Instant
    let questions: TrustQuestions
    let stopsAtRefusal: Bool
    let progress: @Sendable (ConnectionProgress) -> Void
    /// Waits; another one in tests.
    var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    let attempt: @Sendable (ConnectionCandidate) async -> Outcome

    func run() async -> Finish {
        await withTaskGroup(of: Event.self) { group in
            var next = 0
            var running = 0
            var errors: [TransportError] = []
            var attempts = [[ConnectionAttempt]](repeating: [], count: candidates.count)
            var reserve: EstablishedConnection?
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
                    // While a person thinks about a certificate, nothing new begins.
                    if number == next - 1, reserve == nil, !questions.isOpen { start() }
                case .ended(let number, let outcome):
                    running -= 1
                    attempts[number] = outcome.attempts
                    switch outcome.result {
                    case .success(let connection):
                        // The one in reserve waited for the answer that this one has got.
                        reserve?.transport.abort()
                        reserve = connection
                    case .failure(let error):
                        errors.append(error)
                        progress(.failed(outcome.failure(of: candidates[number], error)))
                        // Whoever has said no is not asked again for the next host of the same domain.
                        if error.code == .certificateRefused && stopsAtRefusal {
                            reserve?.transport.abort()
                            reserve = nil
                            next = candidates.count
                            group.cancelAll()
                        } else if reserve == nil {
                            start()
                        }
                    }
                }
                // The answer of a person counts for more than who is first: after a no there is no connection, also not in the
                // moment before the connection that was asked for ends with it.
                if reserve != nil, !questions.isOpen, !(stopsAtRefusal && questions.isRefused) { break }
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
