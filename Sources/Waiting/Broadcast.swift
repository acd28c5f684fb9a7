import Synchronization

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
