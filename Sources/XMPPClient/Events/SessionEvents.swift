/// What one observer sees of a session, in batches: everything that one read of the socket brought comes at once.
///
///     for await batch in session.events() {
///         for event in batch {
///             if case .message(let message) = event { print(message.body ?? "") }
///         }
///     }
///
/// The observation begins with the call of ``Session/events(_:limit:)`` and ends when the sequence and its iterator are
/// gone, or with the session. An observer that does not keep up slows the reading of the socket down instead of filling
/// memory.
public struct SessionEvents: AsyncSequence, Sendable {
    public typealias Element = [SessionEvent]
    public typealias Failure = Never

    let observation: EventObservation

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observation: EventObservation

        /// The next batch, which is never empty; `nil` when the session has ended or the task is cancelled.
        public mutating func next() async -> [SessionEvent]? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [SessionEvent]? {
            await observation.buffer.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observation: observation) }
}
