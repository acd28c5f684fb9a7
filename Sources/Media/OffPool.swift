import Dispatch
import Synchronization

/// Runs blocking work on a thread of its own, never on Swift's cooperative pool, whose few threads must not wait.
struct OffPool: Sendable {
    /// Decoding and encoding sound: GStreamer has threads of its own, this one mostly waits.
    static let sound = OffPool(nil)
    /// Decoding pictures, one at a time, so that memory is bounded by one picture however many arrive.
    static let pictures = OffPool(DispatchQueue(label: "media.pictures"))

    /// `nil` for one of its own for each work. libdispatch looks after the threads of a concurrent one once a second, for ever.
    private let shared: DispatchQueue?

    init(_ queue: DispatchQueue?) {
        shared = queue
    }

    private var queue: DispatchQueue { shared ?? DispatchQueue(label: "media.work") }

    /// Whether the waiting task was cancelled; asked by the blocking work as it goes on.
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

    /// Runs `body` and waits for it without holding a thread of the pool.
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
