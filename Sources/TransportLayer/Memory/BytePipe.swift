import Synchronization
import Waiting

/// One direction of an ``InMemoryTransport``: a bounded queue of bytes with one reader.
final class BytePipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isFinished = false
        var readFailure: TransportError?
        var writeFailure: TransportError?
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let changes = Broadcast()

    init(capacity: Int) {
        self.capacity = capacity
    }

    var isFull: Bool { state.withLock { $0.bytes.count >= capacity } }

    func read(limit: Int) async throws(TransportError) -> [UInt8] {
        while true {
            let outcome = change { state -> Result<[UInt8], TransportError>? in
                if let failure = state.readFailure { return .failure(failure) }
                if state.bytes.isEmpty { return state.isFinished ? .success([]) : nil }
                if state.bytes.count <= limit {
                    let all = state.bytes
                    state.bytes = []
                    return .success(all)
                }
                let part = Array(state.bytes.prefix(limit))
                state.bytes.removeFirst(limit)
                return .success(part)
            }
            if let outcome { return try outcome.get() }
            try await wait { $0.bytes.isEmpty && !$0.isFinished && $0.readFailure == nil }
        }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        while true {
            let outcome = change { state -> Result<Void, TransportError>? in
                if let failure = state.writeFailure { return .failure(failure) }
                if state.isFinished {
                    return .failure(TransportError(.writingFinished, "Our half has been ended already."))
                }
                if state.bytes.count >= capacity { return nil }
                state.bytes += bytes
                return .success(())
            }
            if let outcome { return try outcome.get() }
            try await wait { $0.bytes.count >= self.capacity && $0.writeFailure == nil && !$0.isFinished }
        }
    }

    func finish() throws(TransportError) {
        try change { state -> Result<Void, TransportError> in
            if let failure = state.writeFailure { return .failure(failure) }
            state.isFinished = true
            return .success(())
        }.get()
    }

    func stopWriting(_ error: TransportError) {
        change { state in state.writeFailure = state.writeFailure ?? error }
    }

    /// The reader goes away: it reads no more, and the writer learns of it.
    func stopReading(_ error: TransportError) {
        fail(reader: error, writer: TransportError(.connectionReset, "The peer has closed."))
    }

    func fail(reader: TransportError, writer: TransportError) {
        change { state in
            state.readFailure = state.readFailure ?? reader
            state.writeFailure = state.writeFailure ?? writer
        }
    }

    @discardableResult
    private func change<R: Sendable>(_ body: @Sendable (inout State) -> R) -> R {
        let result = state.withLock { body(&$0) }
        changes.send()
        return result
    }

    private func wait(while condition: @escaping @Sendable (borrowing State) -> Bool) async throws(TransportError) {
        let change = state.withLock { state in condition(state) ? changes.next : nil }
        await change?.wait()
        if Task.isCancelled { throw .cancelledByTask }
    }
}
