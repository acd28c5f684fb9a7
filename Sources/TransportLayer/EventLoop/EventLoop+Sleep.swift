import Synchronization
package import Waiting

extension EventLoop {
    /// Returns at an instant, or when the task is cancelled.
    ///
    /// With `Task.sleep`, the timer and the memory of a task that was cancelled would stay until the instant, and a thread of the
    /// pool would wake up for each one.
    package func sleep(until instant: ContinuousInstant) async {
        let (over, timer) = (Gate(), PendingTimer())
        execute { timer.identifier.withLock { $0 = self.state.schedule(at: instant) { over.open() } } }
        await over.wait()
        guard !over.isOpen else { return }
        execute { if let identifier = timer.identifier.withLock({ $0 }) { self.state.cancelTimer(identifier) } }
    }

    /// The same for a pause that begins now.
    package func sleep(for pause: Duration) async { await sleep(until: ContinuousInstant.now.advanced(by: pause)) }
}

private final class PendingTimer: Sendable {
    let identifier = Mutex<TimerQueue.Identifier?>(nil)
}
