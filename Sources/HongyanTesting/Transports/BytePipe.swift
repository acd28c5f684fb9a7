import Synchronization
import TransportLayer
import Waiting

/// One direction of an ``InMemoryTransport``: a bounded queue of bytes. One task at a time reads, and one writes; others wait in line.
final class BytePipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isFinished = false
        var readFailure: TransportError?
        var writeFailure: TransportError?
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let readers = AsyncLock()
    private let writers = AsyncLock()
    private let readable = Signal()
    private let writable = Signal()

    init(capacity: Int) {
        self.capacity = capacity
    }

    var isFull: Bool { state.withLock { $0.bytes.count >= capacity } }

    /// Whether nothing more is written.
    var isEnded: Bool { state.withLock { $0.isFinished || $0.readFailure != nil } }

    func read(limit: Int) async throws(TransportError) -> [UInt8] {
        try await take(readers, readable) { state in
            if let failure = state.readFailure { return .failure(failure) }
            if state.bytes.isEmpty { return state.isFinished ? .success([]) : nil }
            if state.bytes.count <= limit {
                defer { state.bytes = [] }
                return .success(state.bytes)
            }
            defer { state.bytes.removeFirst(limit) }
            return .success(Array(state.bytes.prefix(limit)))
        }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        let capacity = capacity
        try await take(writers, writable) { state -> Result<Void, TransportError>? in
            if let failure = state.writeFailure { return .failure(failure) }
            if state.isFinished {
                return .failure(TransportError(.writingFinished, "Our half has been ended already."))
            }
            if state.bytes.count >= capacity { return nil }
            state.bytes += bytes
            return .success(())
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

    /// The reader stops reading, and the writer gets this error.
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
        defer { wakeBoth() }
        return state.withLock { body(&$0) }
    }

    private func wakeBoth() {
        readable.send()
        writable.send()
    }

    /// Waits until the closure has a result; it is called again after each change.
    private func take<R: Sendable>(
        _ line: AsyncLock, _ signal: Signal,
        _ body: @Sendable (inout State) -> Result<R, TransportError>?
    ) async throws(TransportError) -> R {
        guard await line.enter() else { throw .cancelledByTask }
        defer { line.leave() }
        while true {
            if let result = state.withLock({ body(&$0) }) {
                wakeBoth()
                return try result.get()
            }
            if Task.isCancelled { throw .cancelledByTask }
            await signal.wait()
        }
    }
}
