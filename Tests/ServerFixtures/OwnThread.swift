import Foundation

/// Runs blocking work on a separate thread, so that starting a server never occupies a thread of the concurrency pool.
///
/// With two cores the pool has two threads; two tests that block in `waitpid` would stop all others.
func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(FixtureError) -> Value
) async throws(FixtureError) -> Value {
    let result: Result<Value, FixtureError> = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(returning: Result { () throws(FixtureError) in try body() })
        }
    }
    return try result.get()
}

/// Evaluates `condition` every ten milliseconds until it is true or the time is over.
///
/// Only for work on a separate thread: it blocks.
func poll(for duration: Duration, until condition: () throws(FixtureError) -> Bool) throws(FixtureError) -> Bool {
    let deadline = ContinuousClock.now + duration
    while true {
        if try condition() { return true }
        if ContinuousClock.now >= deadline { return false }
        usleep(10_000)
    }
}
