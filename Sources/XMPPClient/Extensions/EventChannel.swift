import Synchronization

/// Delivers the events of an extension to its observers, each with its own `AsyncStream`.
///
/// Observers read the current state from the extension; the events only notify them of changes. If an observer falls
/// behind by more than the limit, it loses the oldest events, so that it neither fills memory nor delays the socket.
///
///     actor Weather: SessionExtension {
///         private let channel = EventChannel<Forecast>()
///         nonisolated func events() -> AsyncStream<Forecast> { channel.stream() }
///         func sessionEnded(_ session: Session) { channel.finish() }
///     }
public final class EventChannel<Event: Sendable>: Sendable {
    private struct State {
        var nextNumber = 0
        var observers: [Int: AsyncStream<Event>.Continuation] = [:]
        var isFinished = false
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The number of events that may wait for one observer. 4096 are a few hundred KiB.
    public init(limit: Int = 4096) {
        self.limit = limit
    }

    /// The events from now on; ends with the session, or when the stream is released.
    public func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(limit))
        let number: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextNumber += 1
            state.observers[state.nextNumber] = continuation
            return state.nextNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                _ = state.observers.removeValue(forKey: number)
            }
        }
        return stream
    }

    public func post(_ event: Event) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield(event) }
    }

    public func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return Array(state.observers.values)
        }
        for observer in observers { observer.finish() }
    }
}
