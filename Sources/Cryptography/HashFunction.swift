internal import COpenSSL

/// A cryptographic hash function of libcrypto; the raw value is its IANA name as in XEP-0300.
///
/// Every provider of OpenSSL 3 has all of them, so hashing has no error. MD5 is omitted on purpose: no protocol of this
/// framework needs it.
public enum HashFunction: String, Sendable, CaseIterable {
    case sha1 = "sha-1"
    case sha224 = "sha-224"
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"
    case sha3With256Bits = "sha3-256"
    case sha3With512Bits = "sha3-512"

    /// The length of a hash value, in bytes.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256, .sha3With256Bits: 32
        case .sha384: 48
        case .sha512, .sha3With512Bits: 64
        }
    }

    /// The length of a block, in bytes, to which HMAC extends its key (RFC 2104 §2, FIPS 202 §7).
    fileprivate var blockByteCount: Int {
        switch self {
        case .sha1, .sha224, .sha256: 64
        case .sha384, .sha512: 128
        case .sha3With256Bits: 136
        case .sha3With512Bits: 72
        }
    }

    /// The hash value of `bytes`.
    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The hash value of the memory at `bytes`.
    public func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var digest = Digest(self)
        digest.update(bytes)
        return digest.finish()
    }

    /// The name of the function in libcrypto.
    var libraryName: String {
        switch self {
        case .sha1: "SHA1"
        case .sha224: "SHA2-224"
        case .sha256: "SHA2-256"
        case .sha384: "SHA2-384"
        case .sha512: "SHA2-512"
        case .sha3With256Bits: "SHA3-256"
        case .sha3With512Bits: "SHA3-512"
        }
    }

    /// The fetched implementation. It is fetched only once: looking it up in the provider's table for every hash value
    /// costs more than hashing a short input.
    var implementation: OpaquePointer {
        switch self {
        case .sha1: Implementation.sha1.pointer
        case .sha224: Implementation.sha224.pointer
        case .sha256: Implementation.sha256.pointer
        case .sha384: Implementation.sha384.pointer
        case .sha512: Implementation.sha512.pointer
        case .sha3With256Bits: Implementation.sha3With256Bits.pointer
        case .sha3With512Bits: Implementation.sha3With512Bits.pointer
        }
    }

    /// An `EVP_MD` that lives as long as the program.
    ///
    /// `@unchecked Sendable`: a fetched `EVP_MD` is immutable, and OpenSSL documents that threads may share it.
    private struct Implementation: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ function: HashFunction) {
            Library.isReady
            guard let fetched = EVP_MD_fetch(nil, function.libraryName, nil) else {
                preconditionFailure("This installation of libcrypto has no \(function.libraryName).")
            }
            pointer = fetched
        }

        static let sha1 = Implementation(.sha1)
        static let sha224 = Implementation(.sha224)
        static let sha256 = Implementation(.sha256)
        static let sha384 = Implementation(.sha384)
        static let sha512 = Implementation(.sha512)
        static let sha3With256Bits = Implementation(.sha3With256Bits)
        static let sha3With512Bits = Implementation(.sha3With512Bits)
    }
}

/// SHA-1 (FIPS 180-4 §6.1) in one call. Use it only where a protocol requires it; it is not collision-resistant.
public enum SHA1 {
    /// The 20-byte hash value of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha1.hash(bytes) }
}

/// SHA-256 (FIPS 180-4 §6.2) in one call.
public enum SHA256 {
    /// The 32-byte hash value of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha256.hash(bytes) }
}

/// SHA-512 (FIPS 180-4 §6.4) in one call.
public enum SHA512 {
    /// The 64-byte hash value of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha512.hash(bytes) }
}

/// A keyed message authentication code over a hash function (RFC 2104).
public enum HMAC {
    /// The authentication code of `message` under `key`, as long as the function's hash value.
    ///
    /// A key may have any length, including none. Compare codes only with ``ConstantTime/areEqual(_:_:)``.
    public static func authenticationCode(
        for message: [UInt8], key: [UInt8], using function: HashFunction
    ) -> [UInt8] {
        // RFC 2104 §2, over the fetched hash function: libcrypto's own HMAC looks the function up by name for each
        // code, which costs three times as much as a short code.
        var block = [UInt8](repeating: 0x36, count: function.blockByteCount)
        defer { ConstantTime.erase(&block) }
        var short = key.count > block.count ? function.hash(key) : key
        for index in short.indices { block[index] ^= short[index] }
        if key.count > block.count { ConstantTime.erase(&short) }
        var inner = Digest(function)
        inner.update(block)
        inner.update(message)
        for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
        var outer = Digest(function)
        outer.update(block)
        outer.update(inner.finish())
        return outer.finish()
    }
}

/// Handling of secret bytes: comparison in a time that does not reveal where two differ, and erasure.
public enum ConstantTime {
    /// Whether both are equal. The time depends only on the lengths.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }

    /// Overwrites key bytes in place. Copies that Swift made before are out of reach.
    public static func erase(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
