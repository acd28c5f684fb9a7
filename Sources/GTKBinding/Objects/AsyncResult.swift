internal import CGTK

/// Converts a pair of GIO functions, `…_async` and `…_finish`, into an async call.
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

/// An error of GLib.
public nonisolated struct GTKError: Error, CustomStringConvertible, Sendable, Hashable {
    /// The message in the language of the system's catalogues.
    public let description: String
    public let code: Int

    init(taking error: UnsafeMutablePointer<GError>?) {
        description = error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "Unknown error."
        code = error.map { Int($0.pointee.code) } ?? 0
        if let error { g_error_free(error) }
    }
}
