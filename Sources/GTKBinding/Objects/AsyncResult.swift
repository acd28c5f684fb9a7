internal import CGTK

/// Turns a pair of GIO's functions, `…_async` and `…_finish`, into one that is awaited.
enum AsyncResult {
    static func wait<Value: Sendable>(
        start: (GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void,
        finish: @escaping (OpaquePointer, inout UnsafeMutablePointer<GError>?) -> Value
    ) async throws(GTKError) -> Value {
        let result: Result<Value, GTKError> = await withCheckedContinuation { continuation in
            let done = Callback<OpaquePointer, Void> { result in
                var error: UnsafeMutablePointer<GError>?
                let value = finish(result, &error)
                if let error {
                    continuation.resume(returning: .failure(GTKError(taking: error)))
                } else {
                    continuation.resume(returning: .success(value))
                }
            }
            start(
                { _, result, data in
                    guard let result, let data else { return }
                    let done = Callback<OpaquePointer, Void>.from(data)
                    done.body(result)
                    Callback<OpaquePointer, Void>.release(data)
                }, done.retained)
        }
        return try result.get()
    }
}
