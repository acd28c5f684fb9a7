internal import CSecret

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A call to the secret service that another thread can cancel.
///
/// `@unchecked Sendable`: the only stored property is a `GCancellable`, which GLib documents as thread-safe; the
/// pointer itself never changes.
final class SecretServiceCall: @unchecked Sendable {
    fileprivate let cancellable: UnsafeMutablePointer<GCancellable>?

    init() { cancellable = g_cancellable_new() }

    deinit { g_object_unref(cancellable) }

    func stop() { g_cancellable_cancel(cancellable) }
}

/// The blocking calls of libsecret.
enum SecretService {
    /// Whether there is a session bus. Without this check GLib would try to start one.
    static var mayRun: Bool {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
        guard let runtime = getenv("XDG_RUNTIME_DIR"), runtime.pointee != 0 else { return false }
        return access(String(cString: runtime) + "/bus", F_OK) == 0
    }

    /// Opens a session with the secret service, which the bus starts if it can.
    static func probe(_ call: SecretServiceCall) -> Result<Void, CredentialError> {
        var error: UnsafeMutablePointer<GError>?
        // By default GLib terminates a program whose session bus disappears; a chat program in a terminal outlives its
        // desktop.
        guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, call.cancellable, &error) else {
            return .failure(failure(error))
        }
        g_dbus_connection_set_exit_on_close(bus, 0)
        g_object_unref(UnsafeMutableRawPointer(bus))
        guard let service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, call.cancellable, &error) else {
            return .failure(failure(error))
        }
        g_object_unref(service)
        return .success(())
    }

    static func store(
        _ kind: SecretKind, _ secret: String, for account: String, _ call: SecretServiceCall
    ) throws(CredentialError) {
        var error: UnsafeMutablePointer<GError>?
        let attributes = attributes(of: account)
        defer { g_hash_table_unref(attributes) }
        let stored = secret_password_storev_sync(
            schema(kind), attributes, SECRET_COLLECTION_DEFAULT, label(kind, account), secret, call.cancellable, &error)
        guard stored != 0 else { throw failure(error) }
    }

    static func lookup(
        _ kind: SecretKind, _ account: String, _ call: SecretServiceCall
    ) throws(CredentialError) -> String? {
        var error: UnsafeMutablePointer<GError>?
        let attributes = attributes(of: account)
        defer { g_hash_table_unref(attributes) }
        let found = secret_password_lookupv_nonpageable_sync(
            schema(kind), attributes, call.cancellable, &error)
        guard let found else {
            if error != nil { throw failure(error) }
            return nil
        }
        defer { secret_password_free(found) }
        guard let password = String(validatingCString: found) else {
            throw CredentialError(.serviceFailed(reason: "the stored value is not text"))
        }
        return password
    }

    static func clear(
        _ kind: SecretKind, _ account: String, _ call: SecretServiceCall
    ) throws(CredentialError) {
        var error: UnsafeMutablePointer<GError>?
        let attributes = attributes(of: account)
        defer { g_hash_table_unref(attributes) }
        // The result says whether anything was removed; only the error indicates a failure.
        _ = secret_password_clearv_sync(schema(kind), attributes, call.cancellable, &error)
        if error != nil { throw failure(error) }
    }

    private static func schema(_ kind: SecretKind) -> UnsafePointer<SecretSchema>? {
        switch kind {
        case .password: hongyan_password_schema()
        case .token: hongyan_token_schema()
        case .identity: hongyan_identity_schema()
        }
    }

    /// The label in programs that manage the keyring.
    private static func label(_ kind: SecretKind, _ account: String) -> String {
        switch kind {
        case .password: "Hongyan: \(account)"
        case .token: "Hongyan: \(account) (token)"
        case .identity: "Hongyan: \(account) (encryption key)"
        }
    }

    private static func attributes(of account: String) -> OpaquePointer? {
        let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        _ = g_hash_table_insert(table, g_strdup("account"), g_strdup(account))
        return table
    }

    /// The error of a failed call, which is freed. No error means a prompt that the user dismissed.
    private static func failure(_ error: UnsafeMutablePointer<GError>?) -> CredentialError {
        guard let error else { return CredentialError(.locked) }
        defer { g_error_free(error) }
        if g_error_matches(error, g_io_error_quark(), Int32(G_IO_ERROR_CANCELLED.rawValue)) != 0 {
            return CredentialError(.cancelled)
        }
        if g_error_matches(error, secret_error_get_quark(), Int32(SECRET_ERROR_IS_LOCKED.rawValue)) != 0 {
            return CredentialError(.locked)
        }
        let message = error.pointee.message.map { String(cString: $0) } ?? "no reason"
        return CredentialError(.serviceFailed(reason: message))
    }
}
