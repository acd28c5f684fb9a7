import Synchronization
import TransportLayer
import Waiting

/// The observers of one session. Each comes and goes when it likes, from any task.
final class EventObservers: Sendable {
    private struct State {
        var nextNumber = 0
        var buffers: [Int: EventBuffer] = [:]
        var sinks: [(number: Int, call: @Sendable (SessionEvent) -> Void)] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    /// The kinds of events that anybody wants.
    private let wanted = Atomic<UInt16>(0)
    let gate = ReadGate()
    let wire = WireObservers()
    private let loop: EventLoop

    /// - Parameter loop: That of the session.
    init(loop: EventLoop) { self.loop = loop }

    var isEmpty: Bool { state.withLock { $0.buffers.isEmpty } }

    /// Whether anybody wants events of these kinds; others need not be made.
    func isObserved(_ kinds: SessionEvent.Kinds) -> Bool {
        wanted.load(ordering: .acquiring) & kinds.rawValue != 0
    }

    private func noteWanted(_ state: State) {
        var kinds = state.sinks.isEmpty ? SessionEvent.Kinds() : .all
        for buffer in state.buffers.values { kinds.formUnion(buffer.kinds) }
        wanted.store(kinds.rawValue, ordering: .releasing)
    }

    /// Calls a closure for each event until it is removed or the session ends, on the session's executor and before any
    /// observer: in the same order as the calls of interceptors.
    func add(sink: @escaping @Sendable (SessionEvent) -> Void) -> Int {
        state.withLock { state in
            state.nextNumber += 1
            state.sinks.append((state.nextNumber, sink))
            noteWanted(state)
            return state.nextNumber
        }
    }

    func remove(sink number: Int) {
        state.withLock { state in
            state.sinks.removeAll { $0.number == number }
            noteWanted(state)
        }
    }

    /// The places in the program of those that are behind.
    var behind: [String] {
        state.withLock { state in
            state.buffers.sorted { $0.key < $1.key }.filter(\.value.isBehind).map(\.value.origin)
        }
    }

    func add(kinds: SessionEvent.Kinds, limit: Int, origin: String = "") -> SessionEvents {
        let buffer = EventBuffer(kinds: kinds, limit: limit, gate: gate, origin: origin)
        let number: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextNumber += 1
            state.buffers[state.nextNumber] = buffer
            noteWanted(state)
            return state.nextNumber
        }
        if number == nil { buffer.finish() }
        return SessionEvents(
            observation: EventObservation(buffer: buffer, loop: loop) { [weak self] in
                guard let self, let number else { return }
                self.state.withLock { state in
                    state.buffers.removeValue(forKey: number)
                    self.noteWanted(state)
                }
            })
    }

    /// Hands one batch to everybody.
    func append(_ batch: [SessionEvent]) {
        guard !batch.isEmpty else { return }
        let (buffers, sinks) = state.withLock { ($0.buffers.values, $0.sinks) }
        for sink in sinks { for event in batch { sink.call(event) } }
        for buffer in buffers { buffer.append(batch) }
    }

    func finish() {
        let buffers = state.withLock { state in
            state.isFinished = true
            state.sinks = []
            noteWanted(state)
            return state.buffers.values
        }
        for buffer in buffers { buffer.finish() }
    }
}

/// Ends an observation when its consumer is gone.
final class EventObservation: Sendable {
    let buffer: EventBuffer
    private let loop: EventLoop
    private let remove: @Sendable () -> Void

    init(buffer: EventBuffer, loop: EventLoop, remove: @escaping @Sendable () -> Void) {
        self.buffer = buffer
        self.loop = loop
        self.remove = remove
    }

    /// Releases a batch that was handled, on the thread that has made it: if another one gave its memory back, both would wait
    /// for each other at the allocator's lock.
    func release(_ batch: consuming [SessionEvent]) {
        if batch.isEmpty || loop.isCurrent { return }
        loop.execute { [batch] in _ = batch }
    }

    deinit {
        remove()
        buffer.abandon()
    }
}

/// What one observer sees of a session, in batches: everything that one read of the socket brought comes at once.
///
///     for await batch in session.events() {
///         for event in batch {
///             if case .message(let message) = event { print(message.body ?? "") }
///         }
///     }
///
/// The observation begins with the call of ``Session/events(_:limit:file:line:)`` and ends when the sequence and its iterator are
/// gone, or with the session. An observer that does not keep up slows the reading of the socket down instead of filling
/// memory.
public struct SessionEvents: AsyncSequence, Sendable {
    public typealias Element = [SessionEvent]
    public typealias Failure = Never

    let observation: EventObservation

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The number of events from which on a batch is released by the session. A wake-up costs as much as to release that many.
        private static let largeBatch = 64

        private let observation: EventObservation
        /// What the program handles now, if it is a large batch.
        private var delivered: [SessionEvent] = []

        init(observation: EventObservation) { self.observation = observation }

        /// The next batch, which is never empty; `nil` when the session has ended or the task is cancelled.
        public mutating func next() async -> [SessionEvent]? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [SessionEvent]? {
            observation.release(exchange(&delivered, with: []))
            let batch = await observation.buffer.next()
            if let batch, batch.count >= Self.largeBatch { delivered = batch }
            return batch
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observation: observation) }
}

/// What one observer has not yet taken. While more waits than may, the observer counts as behind and the socket is
/// not read.
final class EventBuffer: Sendable {
    private struct Content: MailboxContent, Sendable {
        var events: [SessionEvent] = []
        var isBehind = false

        var isEmpty: Bool { events.isEmpty }
    }

    let kinds: SessionEvent.Kinds
    /// Where in the program the observation began.
    let origin: String
    private let limit: Int
    private let gate: ReadGate
    private let behind = Atomic(false)
    private let mailbox = Mailbox<Content>()

    /// - Parameter limit: How many events may wait before the observer counts as behind.
    init(kinds: SessionEvent.Kinds, limit: Int, gate: ReadGate, origin: String = "") {
        self.kinds = kinds
        self.origin = origin
        self.limit = limit
        self.gate = gate
    }

    func append(_ batch: [SessionEvent]) {
        // Usually all are wanted, and a list is not copied.
        let wanted = batch.allSatisfy { kinds.contains($0.kind) } ? batch : batch.filter { kinds.contains($0.kind) }
        guard !wanted.isEmpty else { return }
        mailbox.put { content in
            if content.events.isEmpty { content.events = wanted } else { content.events += wanted }
            if !content.isBehind, content.events.count > limit {
                content.isBehind = true
                behind.store(true, ordering: .relaxed)
                // Under the lock, so that the gate hears of it before it hears that the observer has caught up.
                gate.observerFellBehind()
            }
        }
    }

    /// Whether more waits than may.
    var isBehind: Bool { behind.load(ordering: .relaxed) }

    /// No more events come; those that wait are still delivered.
    func finish() { mailbox.finish() }

    /// The consumer is gone: drops the events.
    func abandon() {
        finish()
        _ = takeWaiting()
    }

    /// What waits now, without waiting for more.
    func takeWaiting() -> [SessionEvent] { taken(mailbox.takeWaiting()) ?? [] }

    /// The next batch; `nil` at the end or when the task is cancelled.
    func next() async -> [SessionEvent]? { taken(await mailbox.next()) }

    private func taken(_ content: Content?) -> [SessionEvent]? {
        if content?.isBehind == true {
            behind.store(false, ordering: .relaxed)
            gate.observerCaughtUp()
        }
        return content?.events
    }
}
