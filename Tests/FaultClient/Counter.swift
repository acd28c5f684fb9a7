import Synchronization

/// A number that several tasks share.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
