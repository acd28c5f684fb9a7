internal import COpenSSL

/// An incremental hash, for data that does not fit into memory.
///
///     var digest = Digest(.sha256)
///     while let piece = try file.read() { digest.update(piece) }
///     let value = digest.finish()
///
/// `@unchecked Sendable`: the type is noncopyable, so the context has exactly one owner, and only that owner accesses
/// it.
public struct Digest: ~Copyable, @unchecked Sendable {
    /// The hash function.
    public let function: HashFunction
    private let context: OpaquePointer

    /// A digest of no data yet.
    public init(_ function: HashFunction) {
        let implementation = function.implementation
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("No memory for a digest.") }
        guard EVP_DigestInit_ex(context, implementation, nil) == 1 else {
            preconditionFailure("libcrypto cannot start \(function.libraryName).")
        }
        self.function = function
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Appends bytes.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Appends the memory at `bytes`.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        guard EVP_DigestUpdate(context, start, bytes.count) == 1 else {
            preconditionFailure("libcrypto cannot continue \(function.libraryName).")
        }
    }

    /// The hash value of all appended bytes; consumes the digest.
    public consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: function.byteCount) { buffer, count in
            var written: UInt32 = 0
            guard EVP_DigestFinal_ex(context, buffer.baseAddress, &written) == 1 else {
                preconditionFailure("libcrypto cannot finish \(function.libraryName).")
            }
            count = Int(written)
        }
    }
}
