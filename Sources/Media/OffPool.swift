import Dispatch
import Synchronization

/// Runs blocking work on a separate thread, never on Swift's cooperative pool, whose few threads must not block.
struct OffPool: Sendable {
    /// Decoding and encoding sound: GStreamer has its own threads, this one mostly waits.
    static let sound = OffPool(DispatchQueue(label: "media.sound", attributes: .concurrent))
    /// Decoding pictures, one at a time, so that many pictures need the memory of only one.
    static let pictures = OffPool(DispatchQueue(label: "media.pictures"))

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// Whether the waiting task was cancelled; the blocking work checks it regularly.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)

        var isRequested: Bool { flag.load(ordering: .relaxed) }

        func request() {
            flag.store(true, ordering: .relaxed)
        }

        func check() throws(MediaError) {
            if isRequested { throw .cancelled }
        }
    }

    /// Runs `body` and suspends until it has finished, without blocking a thread of the pool.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Cancellation) throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        let cancellation = Cancellation()
        let result: Result<Value, MediaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    let outcome: Result<Value, MediaError>
                    do throws(MediaError) {
                        try cancellation.check()
                        outcome = .success(try body(cancellation))
                    } catch {
                        outcome = .failure(error)
                    }
                    continuation.resume(returning: outcome)
                }
            }
        } onCancel: {
            cancellation.request()
        }
        return try result.get()
    }

    /// Runs `body` without waiting for it.
    func submit(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }
}
