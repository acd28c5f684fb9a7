internal import Cryptography

/// The SHA-256 of a content, under which a ``MediaCache`` stores it.
///
/// It is always 32 bytes, so a value from the network can never refer to another file.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits, as in `Attachment.contentHash`.
    public let description: String

    /// `nil` unless the text is 64 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 64, let bytes = Hex.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The hash of a content.
    public init(of content: [UInt8]) {
        var digest = Digest(.sha256)
        digest.update(content)
        self.init(bytes: digest.finish())
    }

    init(bytes: [UInt8]) { description = Hex.encode(bytes) }
}
