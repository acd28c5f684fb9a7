import Foundation
import Synchronization

/// The thread that starts all programs. The kernel ends a program with the *thread* that started it, so this one must
/// run as long as the test process.
enum SpawningThread {
    private static let waiting = Mutex<[@Sendable () -> Void]>([])
    private static let count = DispatchSemaphore(value: 0)
    private static let thread: Void = Thread.detachNewThread {
        while true {
            count.wait()
            waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
        }
    }

    /// Runs `body` on this thread and waits for it.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        _ = thread
        let done = DispatchSemaphore(value: 0)
        let result = Result<Value>()
        waiting.withLock {
            $0.append {
                result.value.withLock { $0 = body() }
                done.signal()
            }
        }
        count.signal()
        done.wait()
        guard let value = result.value.withLock({ $0 }) else { preconditionFailure("Done before it was done.") }
        return value
    }

    private final class Result<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
