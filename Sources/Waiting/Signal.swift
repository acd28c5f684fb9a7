import Synchronization

/// Wakes the one task that waits for work. A signal sent while no task waits is kept, and several count as one.
package final class Signal: Sendable {
    private enum State {
        case quiet
        case sent
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.quiet)
    /// Whether the state is `sent`; changed under the lock.
    private let isKept = Atomic(false)

    package init() {}

    package func send() {
        // A signal that is kept already needs no lock. It is exchanged for itself, because then the task that takes it sees what
        // happened before this.
        if isKept.compareExchange(expected: true, desired: true, ordering: .acquiringAndReleasing).exchanged { return }
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            switch state {
            case .waiting(let waiter):
                state = .quiet
                return waiter
            case .quiet, .sent:
                state = .sent
                isKept.store(true, ordering: .releasing)
                return nil
            }
        }
        waiter?.resume()
    }

    /// Returns after the next signal or when the task is cancelled. One task at a time may wait.
    package nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    switch state {
                    case .sent:
                        _ = isKept.exchange(false, ordering: .acquiringAndReleasing)
                        state = .quiet
                        return true
                    case .quiet where Task.isCancelled:
                        return true
                    case .quiet:
                        state = .waiting(continuation)
                        return false
                    case .waiting:
                        preconditionFailure("Two tasks wait for the same signal.")
                    }
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            send()
        }
    }
}

/// Wakes all the tasks that wait, each of which then looks again whether what it waits for is true.
///
///     while true {
///         let change = changes.next    // before looking, so that no change is missed
///         if isTrue { break }
///         await change.wait()
///     }
package final class Broadcast: Sendable {
    private let gate = Mutex(Gate())

    package init() {}

    /// What the next ``send()`` opens.
    package var next: Gate { gate.withLock { $0 } }

    package func send() {
        let waitedFor = gate.withLock { gate in
            defer { gate = Gate() }
            return gate
        }
        waitedFor.open()
    }
}
