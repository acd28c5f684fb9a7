internal import Cryptography

/// The SHA-256 of what is sent and received, in hexadecimal digits, so that both ends can be compared.
enum ContentHash {
    static func of(_ content: [UInt8]) -> String {
        Hex.encode(SHA256.hash(content))
    }
}
