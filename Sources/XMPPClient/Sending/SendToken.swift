import Synchronization
import Waiting
public import XMPPStanzas

/// The progress of one sent stanza, from the queue until the receiver has seen it.
///
/// The stages are facts of the protocol, not guesses: ``Stage/acknowledged`` is confirmed by our server (XEP-0198), the
/// later stages are confirmed by the receiver and reported by extensions (XEP-0184, XEP-0333).
///
///     let token = try await session.send(.chat(to: friend, body: "Good morning"))
///     try await token.reached(.acknowledged)
public final class SendToken: Sendable {
    /// The progress of a stanza. Stages only grow; a failure is final unless the receiver disproves it.
    public enum Stage: Sendable, Comparable, Hashable {
        /// Waiting for a connection.
        case queued
        /// Passed to the connection.
        case written
        /// Acknowledged by our server.
        case acknowledged
        /// Received by a device of the receiver.
        case delivered
        /// Seen by the receiver.
        case displayed
    }

    /// A change of a token, as ``SendToken/changes`` reports it.
    public enum Change: Sendable {
        case reached(Stage)
        case failed(ClientError)
    }

    private struct Waiter {
        var stage: Stage
        let result = Promise<Result<Void, ClientError>>()
    }

    /// What few tokens have: a failure, and tasks that wait for changes.
    private final class Details {
        var failure: ClientError?
        var nextNumber = 0
        var waiters: [Int: Waiter] = [:]
        var streams: [Int: AsyncStream<Change>.Continuation] = [:]
    }

    private struct State {
        var stage = Stage.queued
        /// Whether the server does not acknowledge stanzas on this connection.
        var isUnmanaged = false
        /// Whether the server will confirm nothing more.
        var isSettled = false
        var details: Details?

        var failure: ClientError? { details?.failure }

        /// The details, which exist from now on.
        mutating func makeDetails() -> Details {
            let details = details ?? Details()
            self.details = details
            return details
        }

        /// The result of waiting for a stage; `nil` while it may still come.
        func result(of stage: Stage) -> Result<Void, ClientError>? {
            if self.stage >= stage { return .success(()) }
            if let failure { return .failure(failure) }
            if isSettled { return .failure(.sessionEnded) }
            return isUnmanaged && stage == .acknowledged ? .failure(.notManaged) : nil
        }
    }

    /// The stanza as it was sent, after the interceptors.
    public let stanza: AnyStanza
    /// The identifier of the stanza.
    public var id: String { stanza.id ?? "" }
    private let state = Mutex(State())

    init(stanza: AnyStanza) {
        self.stanza = stanza
    }

    deinit {
        state.withLock { state in
            guard let details = state.details else { return }
            for stream in details.streams.values { stream.finish() }
        }
    }

    /// The current stage.
    public var stage: Stage { state.withLock { $0.stage } }

    /// Why the stanza failed, if it did.
    public var failure: ClientError? { state.withLock { $0.failure } }

    /// Returns when the stanza has reached this stage.
    ///
    /// - Throws: ``ClientError`` if the stanza failed, if the session ended before, if the task was cancelled, or if
    ///   the server never acknowledges stanzas.
    public func reached(_ stage: Stage) async throws(ClientError) {
        let waiter = Waiter(stage: stage)
        let number: Int? = state.withLock { state in
            if let result = state.result(of: stage) {
                waiter.result.fulfil(result)
                return nil
            }
            let details = state.makeDetails()
            details.nextNumber += 1
            details.waiters[details.nextNumber] = waiter
            return details.nextNumber
        }
        let result = await waiter.result.value(cancelled: .failure(.cancelled))
        if let number { _ = state.withLock { $0.details?.waiters.removeValue(forKey: number) } }
        try result.get()
    }

    /// The stages from the current one on. Ends after a failure, after ``Stage/displayed`` and with the session.
    public var changes: AsyncStream<Change> {
        let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
        let number: Int? = state.withLock { state in
            if let failure = state.failure {
                continuation.yield(.failed(failure))
            } else {
                continuation.yield(.reached(state.stage))
            }
            guard state.failure == nil, !state.isSettled, state.stage < .displayed else {
                continuation.finish()
                return nil
            }
            let details = state.makeDetails()
            details.nextNumber += 1
            details.streams[details.nextNumber] = continuation
            return details.nextNumber
        }
        if let number {
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { state in
                    _ = state.details?.streams.removeValue(forKey: number)
                }
            }
        }
        return stream
    }

    /// Reports that the stanza has reached this stage. Extensions call it when the receiver confirms it; a lower stage
    /// has no effect.
    public func advance(to stage: Stage) {
        update { state in
            guard state.stage < stage else { return nil }
            state.stage = stage
            if stage >= .delivered { state.details?.failure = nil }
            return .reached(stage)
        }
    }

    /// Reports that the stanza failed. A stanza that the server or the receiver has confirmed does not fail because of
    /// a lost connection.
    public func fail(_ error: ClientError) {
        update { state in
            guard state.failure == nil else { return nil }
            state.makeDetails().failure = error
            return .failed(error)
        }
    }

    /// Reports that the stanza was written to a connection without acknowledgements.
    func writtenUnmanaged() {
        update { state in
            state.isUnmanaged = true
            guard state.stage < .written else { return nil }
            state.stage = .written
            return .reached(.written)
        }
    }

    /// Reports that the session is over: tasks that wait for further stages fail.
    func settle() {
        update { state in
            state.isSettled = true
            return nil
        }
    }

    private func update(_ body: (inout State) -> Change?) {
        let (finished, ended): ([(Waiter, Result<Void, ClientError>)], [AsyncStream<Change>.Continuation]) =
            state.withLock { state in
                let change = body(&state)
                guard let details = state.details else { return ([], []) }
                var finished: [(Waiter, Result<Void, ClientError>)] = []
                for (number, waiter) in details.waiters {
                    guard let result = state.result(of: waiter.stage) else { continue }
                    finished.append((waiter, result))
                    details.waiters.removeValue(forKey: number)
                }
                if let change {
                    for stream in details.streams.values { stream.yield(change) }
                }
                var ended: [AsyncStream<Change>.Continuation] = []
                if state.failure != nil || state.isSettled || state.stage == .displayed {
                    ended = Array(details.streams.values)
                    details.streams = [:]
                }
                return (finished, ended)
            }
        for (waiter, result) in finished { waiter.result.fulfil(result) }
        for stream in ended { stream.finish() }
    }
}
