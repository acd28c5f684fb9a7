internal import CGTK

/// What a function of GLib says that went wrong.
public nonisolated struct GTKError: Error, CustomStringConvertible, Sendable, Hashable {
    /// A sentence for a person, in the language of the system's catalogues.
    public let description: String
    public let code: Int

    init(taking error: UnsafeMutablePointer<GError>?) {
        description = error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "It did not say why."
        code = error.map { Int($0.pointee.code) } ?? 0
        if let error { g_error_free(error) }
    }
}
