internal import COpenSSL

/// A cipher of libcrypto at work; the key is overwritten when it is freed.
struct CipherContext: ~Copyable {
    /// A fetched implementation that lives as long as the program: looking it up costs more than encrypting a short
    /// text.
    ///
    /// `@unchecked Sendable`: a fetched `EVP_CIPHER` is immutable, and OpenSSL documents that threads may share it.
    struct Kind: @unchecked Sendable {
        fileprivate let cipher: OpaquePointer
        fileprivate let hasVectorOfAnyLength: Bool

        private init(_ name: String, hasVectorOfAnyLength: Bool) {
            Library.isReady
            guard let fetched = EVP_CIPHER_fetch(nil, name, nil) else {
                preconditionFailure("This installation of libcrypto has no \(name).")
            }
            cipher = fetched
            self.hasVectorOfAnyLength = hasVectorOfAnyLength
        }

        static let cbc256 = Kind("AES-256-CBC", hasVectorOfAnyLength: false)
        static let gcm128 = Kind("AES-128-GCM", hasVectorOfAnyLength: true)
        static let gcm256 = Kind("AES-256-GCM", hasVectorOfAnyLength: true)
    }

    private let context: OpaquePointer

    private init(_ context: OpaquePointer) { self.context = context }

    /// A cipher that is ready for input; `nil` if libcrypto refuses the key or the vector.
    static func start(_ kind: Kind, key: [UInt8], vector: [UInt8], encrypts: Bool) -> CipherContext? {
        guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("No memory for a cipher.") }
        let result = CipherContext(context)
        let direction: Int32 = encrypts ? 1 : 0
        guard EVP_CipherInit_ex2(context, kind.cipher, nil, nil, direction, nil) == 1 else { return nil }
        if kind.hasVectorOfAnyLength {
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(vector.count), nil) == 1 else {
                return nil
            }
        }
        guard EVP_CipherInit_ex2(context, nil, key, vector, direction, nil) == 1 else { return nil }
        return result
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// The output for the next piece of input; `nil` if libcrypto refuses it.
    mutating func update(_ input: [UInt8]) -> [UInt8]? {
        guard !input.isEmpty else { return [] }
        guard let length = Int32(exactly: input.count), length < Int32.max - 32 else { return nil }
        var output = [UInt8](repeating: 0, count: input.count + 32)
        var count: Int32 = 0
        guard EVP_CipherUpdate(context, &output, &count, input, length) == 1 else { return nil }
        output.removeLast(output.count - Int(count))
        return output
    }

    /// The rest of the output; `nil` if padding or tag are wrong.
    mutating func finish() -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: 32)
        var count: Int32 = 0
        guard EVP_CipherFinal_ex(context, &output, &count) == 1 else { return nil }
        output.removeLast(output.count - Int(count))
        return output
    }

    /// The tag, after ``finish()``.
    func tag() -> [UInt8]? {
        var tag = [UInt8](repeating: 0, count: AESGCM.tagByteCount)
        let length = Int32(tag.count)
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, length, &tag) == 1 ? tag : nil
    }

    /// Sets the tag that ``finish()`` expects.
    func setTag(_ tag: [UInt8]) -> Bool {
        var tag = tag
        let length = Int32(tag.count)
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, length, &tag) == 1
    }
}
