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

/// The content of a file: one account on each line.
///
///     hongyan-passwords 1
///     juliet@example.org R0m30%20
///
/// One space separates the account from its password or token. In both, control characters, the space, the percent sign
/// and everything outside ASCII are written as `%` and two hexadecimal digits, so that no text can break a line.
struct SecretList: Equatable {
    /// The maximum number of bytes that are read: far more than any list of accounts needs, and still harmless.
    static let maximumByteCount = 1 << 20

    let kind: SecretKind
    /// By account.
    var secrets: [String: String] = [:]

    private var firstLine: String { "hongyan-\(kind.fileName) 1" }

    init(_ kind: SecretKind) {
        self.kind = kind
    }

    /// Parses the output of ``bytes``; `nil` for anything else. No bytes at all are an empty list.
    init?(_ kind: SecretKind, _ bytes: [UInt8]) {
        self.kind = kind
        guard bytes.count <= Self.maximumByteCount else { return nil }
        if bytes.isEmpty { return }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, first.elementsEqual(firstLine.utf8), lines.popLast()?.isEmpty == true else {
            return nil
        }
        for line in lines.dropFirst() {
            let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard parts.count == 2, let account = Self.decode(parts[0]), let secret = Self.decode(parts[1]),
                secrets.updateValue(secret, forKey: account) == nil
            else { return nil }
        }
    }

    /// The file's content, sorted by account.
    var bytes: [UInt8] {
        var bytes = Array(firstLine.utf8) + [UInt8(ascii: "\n")]
        for (account, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            bytes += Self.encode(account) + [UInt8(ascii: " ")] + Self.encode(secret) + [UInt8(ascii: "\n")]
        }
        return bytes
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encode(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return bytes
    }

    private static func decode(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard (0x21...0x7E).contains(byte) else { return nil }
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ digits.firstIndex(of: $0) }),
                let low = rest.popFirst().flatMap({ digits.firstIndex(of: $0) })
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
