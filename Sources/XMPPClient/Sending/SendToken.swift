import Synchronization
import Waiting
public import XMPPStanzas

/// What becomes of one stanza that was given to a session, from the queue to the eyes of the receiver.
///
/// One and two ticks come from the protocol, not from guesses: ``Stage/acknowledged`` is the word of the own server
/// (XEP-0198), the stages after it are the word of the receiver, which extensions read (XEP-0184, XEP-0333).
///
///     let token = try await session.send(.chat(to: friend, body: "Good morning"))
///     try await token.reached(.acknowledged)
public final class SendToken: Sendable {
    /// How far a stanza has come. Stages only grow; a failure is final unless the receiver's own word proves it wrong.
    public enum Stage: Sendable, Comparable, Hashable {
        /// Waits for the connection.
        case queued
        /// Given to the connection.
        case written
        /// The own server took responsibility.
        case acknowledged
        /// The receiver's device has it.
        case delivered
        /// The receiver has seen it.
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

    private struct State {
        var stage = Stage.queued
        var failure: ClientError?
        /// The server does not acknowledge on this connection.
        var isUnmanaged = false
        /// Nothing more comes from the server.
        var isSettled = false
        var nextNumber = 0
        var waiters: [Int: Waiter] = [:]
        var streams: [Int: AsyncStream<Change>.Continuation] = [:]

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
    public let id: String
    private let state = Mutex(State())

    init(stanza: AnyStanza, id: String) {
        self.stanza = stanza
        self.id = id
    }

    deinit {
        state.withLock { state in
            for stream in state.streams.values { stream.finish() }
        }
    }

    /// How far the stanza has come.
    public var stage: Stage { state.withLock { $0.stage } }

    /// Why the stanza failed, if it did.
    public var failure: ClientError? { state.withLock { $0.failure } }

    /// Returns when the stanza has come that far.
    ///
    /// - Throws: ``ClientError`` if the stanza failed, if the session ended before, if the task was cancelled, or if
    ///   an acknowledgement is waited for that the server never gives.
    public func reached(_ stage: Stage) async throws(ClientError) {
        let waiter = Waiter(stage: stage)
        let number: Int? = state.withLock { state in
            if let result = state.result(of: stage) {
                waiter.result.fulfil(result)
                return nil
            }
            state.nextNumber += 1
            state.waiters[state.nextNumber] = waiter
            return state.nextNumber
        }
        let result = await waiter.result.value(cancelled: .failure(.cancelled))
        if let number { _ = state.withLock { $0.waiters.removeValue(forKey: number) } }
        try result.get()
    }

    /// The stages to come, beginning with the present one. Ends after a failure, after ``Stage/displayed`` and with the
    /// session.
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
            state.nextNumber += 1
            state.streams[state.nextNumber] = continuation
            return state.nextNumber
        }
        if let number {
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { state in
                    _ = state.streams.removeValue(forKey: number)
                }
            }
        }
        return stream
    }

    /// Reports that the stanza has come that far. Extensions call it with the receiver's word; going back has no
    /// effect.
    public func advance(to stage: Stage) {
        update { state in
            guard state.stage < stage else { return nil }
            state.stage = stage
            if stage >= .delivered { state.failure = nil }
            return .reached(stage)
        }
    }

    /// Reports that the stanza failed. What the server or the receiver has confirmed cannot fail through a lost
    /// connection any more.
    public func fail(_ error: ClientError) {
        update { state in
            guard state.failure == nil else { return nil }
            state.failure = error
            return .failed(error)
        }
    }

    /// Reports that the stanza was written to a connection on which the server acknowledges nothing.
    func writtenUnmanaged() {
        update { state in
            state.isUnmanaged = true
            guard state.stage < .written else { return nil }
            state.stage = .written
            return .reached(.written)
        }
    }

    /// Reports that the session is over: who waits for more has waited in vain.
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
                guard !state.waiters.isEmpty || !state.streams.isEmpty else { return ([], []) }
                var finished: [(Waiter, Result<Void, ClientError>)] = []
                for (number, waiter) in state.waiters {
                    guard let result = state.result(of: waiter.stage) else { continue }
                    finished.append((waiter, result))
                    state.waiters.removeValue(forKey: number)
                }
                if let change {
                    for stream in state.streams.values { stream.yield(change) }
                }
                var ended: [AsyncStream<Change>.Continuation] = []
                if state.failure != nil || state.isSettled || state.stage == .displayed {
                    ended = Array(state.streams.values)
                    state.streams = [:]
                }
                return (finished, ended)
            }
        for (waiter, result) in finished { waiter.result.fulfil(result) }
        for stream in ended { stream.finish() }
    }
}
