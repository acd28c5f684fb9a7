internal import Cryptography

/// The SHA-256 of a content, which is its name in a ``MediaCache``.
///
/// It is 32 bytes and nothing else, whoever said it; so what comes from the network can never name another file.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
    /// 64 hexadecimal digits in lower case, as in ``Attachment/contentHash``.
    public let description: String

    /// `nil` unless the text is 64 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 64, let bytes = Hex.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The name of a content.
    public init(of content: [UInt8]) {
        var digest = Digest(.sha256)
        digest.update(content)
        self.init(bytes: digest.finish())
    }

    init(bytes: [UInt8]) { description = Hex.encode(bytes) }
}
