import COpenSSL

/// The two directions of OpenSSL's byte stream in memory, and the results of its callbacks for the engine.
///
/// Like OpenSSL's own memory BIO, but it reads directly from the buffer of the socket and holds no memory while idle;
/// otherwise an idle connection would retain its largest burst.
final class TLSMemory {
    /// Bytes of an earlier call that OpenSSL has not read yet; then `window`.
    var backlog: [UInt8] = []
    private var backlogOffset = 0
    /// Valid only during one call of the engine.
    private var window = UnsafeRawBufferPointer(start: nil, count: 0)
    var output: [UInt8] = []

    /// The chain to verify, leaf first, with its own references.
    var chain: [Certificate] = []
    /// The protocols from which a server selects by ALPN.
    var applicationProtocols: [String] = []
    /// `nil` until the chain was verified; then `X509_V_OK` or the error that determines the alert.
    var verdict: Int32?
    /// Whether the client wants sessions for resumption.
    var storesSessions = false
    /// Sessions from the server that the engine has not handled yet; they still lack their chain.
    var receivedSessions: [TLSSessionCache.Session] = []

    var hasInput: Bool { backlogOffset < backlog.count || !window.isEmpty }

    // What is appended to is taken out of the property meanwhile. A property that a call of another function changes is checked for
    // overlapping accesses each time it is used, and each record needs these a dozen times.

    /// Stores bytes that OpenSSL reads later.
    func store(_ bytes: UnsafeRawBufferPointer) {
        var stored = exchange(&backlog, with: [])
        stored.append(contentsOf: bytes)
        backlog = stored
    }

    func received(_ session: TLSSessionCache.Session) {
        var sessions = exchange(&receivedSessions, with: [])
        sessions.append(session)
        receivedSessions = sessions
    }

    fileprivate func write(_ bytes: UnsafeRawBufferPointer) {
        var written = exchange(&output, with: [])
        written.append(contentsOf: bytes)
        output = written
    }

    /// Lets OpenSSL read `bytes` during `body`, and stores the rest.
    func withInput<R>(_ bytes: UnsafeRawBufferPointer, _ body: () throws(TransportError) -> R) throws(TransportError)
        -> R
    {
        window = bytes
        defer {
            if !window.isEmpty { store(window) }
            window = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return try body()
    }

    fileprivate func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        if backlogOffset < backlog.count {
            let count = min(target.count, backlog.count - backlogOffset)
            let stored = backlog
            stored.withUnsafeBytes {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[backlogOffset..<backlogOffset + count]))
            }
            backlogOffset += count
            if backlogOffset == backlog.count {
                backlog = []
                backlogOffset = 0
            }
            return count
        }
        let count = min(target.count, window.count)
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[..<count]))
        window = UnsafeRawBufferPointer(rebasing: window[count...])
        return count
    }

    /// Creates a BIO over this memory, which must outlive it.
    func makeBIO() -> OpaquePointer? {
        guard let bio = BIO_new(Self.method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    fileprivate static func of(_ bio: OpaquePointer?) -> TLSMemory? {
        guard let pointer = BIO_get_data(bio) else { return nil }
        return Unmanaged<TLSMemory>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// One function table for the process, never freed or changed after its creation.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "swift memory")
        BIO_meth_set_read(method) { bio, buffer, count in
            BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            guard let memory = TLSMemory.of(bio), let buffer, count > 0 else { return -1 }
            let read = memory.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
            if read > 0 { return Int32(read) }
            BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return -1
        }
        BIO_meth_set_write(method) { bio, buffer, count in
            guard let memory = TLSMemory.of(bio), let buffer, count > 0 else { return -1 }
            memory.write(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }()
}
