internal import COpenSSL

/// A hash value in the making: what does not fit into memory is hashed piece by piece.
///
///     var digest = Digest(.sha256)
///     while let piece = try file.read() { digest.update(piece) }
///     let value = digest.finish()
///
/// `@unchecked Sendable`: the context has exactly one owner because the type cannot be copied, so whoever holds the
/// value is alone with it.
public struct Digest: ~Copyable, @unchecked Sendable {
    /// The function that hashes.
    public let function: HashFunction
    private let context: OpaquePointer

    /// A digest of nothing so far.
    public init(_ function: HashFunction) {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("There is no memory for a digest.") }
        guard EVP_DigestInit_ex(context, function.implementation, nil) == 1 else {
            preconditionFailure("libcrypto cannot start \(function.libraryName).")
        }
        self.function = function
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes at the end.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds the memory at `bytes` at the end.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        guard EVP_DigestUpdate(context, start, bytes.count) == 1 else {
            preconditionFailure("libcrypto cannot go on with \(function.libraryName).")
        }
    }

    /// The hash value of all that was added; the digest is used up.
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
