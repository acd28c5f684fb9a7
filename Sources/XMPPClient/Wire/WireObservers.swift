import Synchronization

/// Those who see the bytes of the connections of a session.
final class WireObservers: Sendable {
    /// What they see.
    enum Event: Sendable {
        /// Another connection begins.
        case began
        case received([UInt8])
        case sent([UInt8])
    }

    private struct State {
        var nextNumber = 0
        var sinks: [Int: @Sendable (Event) -> Void] = [:]
    }

    private let state = Mutex(State())
    /// Whether anybody looks: without it each read and write costs nothing.
    private let isWatched = Atomic(false)

    func add(_ sink: @escaping @Sendable (Event) -> Void) -> Int {
        state.withLock { state in
            state.nextNumber += 1
            state.sinks[state.nextNumber] = sink
            isWatched.store(true, ordering: .releasing)
            return state.nextNumber
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.sinks[number] = nil
            isWatched.store(!state.sinks.isEmpty, ordering: .releasing)
        }
    }

    func report(_ event: @autoclosure () -> Event) {
        guard isWatched.load(ordering: .acquiring) else { return }
        let sinks = state.withLock { Array($0.sinks.values) }
        let event = event()
        for sink in sinks { sink(event) }
    }
}

/// Both directions of a connection as lines of text.
final class WireLines: Sendable {
    private struct State {
        var received = WireTranscript()
        var sent = WireTranscript()
    }

    private let state = Mutex(State())

    /// - Returns: The lines, each after `S: ` if it was received and after `C: ` if it was sent.
    func lines(of event: WireObservers.Event) -> [String] {
        state.withLock { state in
            switch event {
            case .began:
                state = State()
                return []
            case .received(let bytes): return state.received.append(bytes).map { "S: " + $0 }
            case .sent(let bytes): return state.sent.append(bytes).map { "C: " + $0 }
            }
        }
    }
}
