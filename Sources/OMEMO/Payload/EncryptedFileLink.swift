/// The address of an encrypted file together with its key, in one text.
///
///     aesgcm://upload.example/4a771ac1/picture.jpg#8c3d…587
///
/// With AES-256-GCM it is the form of XEP-0454. The forms for the other ciphers of XEP-0448 are in use only between the
/// parts of this program. A link must never be shown or opened by a browser, because the key behind the `#` could reach
/// the server (XEP-0454 §6).
public struct EncryptedFileLink: Sendable, Hashable, CustomStringConvertible {
    public enum Cipher: Sendable, Hashable, CaseIterable {
        case aes256GCM
        case aes128GCM
        /// With PKCS #7 padding. It does not authenticate: use it only with a hash of the file.
        case aes256CBC

        fileprivate var scheme: String {
            switch self {
            case .aes256GCM: "aesgcm://"
            case .aes128GCM: "aes128gcm://"
            case .aes256CBC: "aes256cbc://"
            }
        }

        fileprivate var keyByteCount: Int { self == .aes128GCM ? 16 : 32 }

        /// 16 bytes are for GCM only in links of earlier programs.
        fileprivate var nonceByteCounts: Set<Int> {
            switch self {
            case .aes256GCM: [12, 16]
            case .aes128GCM: [12]
            case .aes256CBC: [16]
            }
        }
    }

    public let cipher: Cipher
    /// The `https` address of the encrypted file, without a fragment.
    public let address: String
    /// 12 bytes, or 16 with CBC and in links of earlier programs.
    public let nonce: [UInt8]
    /// 32 bytes; 16 with AES-128.
    public let key: [UInt8]

    /// A link that no file has, for one whose sources cannot be used.
    public static let unusable = Cipher.aes256GCM.scheme
    private static let webScheme = "https://"
    /// Bytes of the longest link that is read.
    private static let maximumByteCount = 8_192

    /// The link of a file that was uploaded to `address`; `nil` unless it is an `https` address without fragment, and
    /// nonce and key have the lengths for the cipher.
    public init?(_ cipher: Cipher = .aes256GCM, address: String, nonce: [UInt8], key: [UInt8]) {
        guard address.utf8.count <= Self.maximumByteCount / 2, address.hasPrefix(Self.webScheme),
            Self.isAddress(address.dropFirst(Self.webScheme.count)), nonce.count == (cipher == .aes256CBC ? 16 : 12),
            key.count == cipher.keyByteCount
        else { return nil }
        (self.cipher, self.address, self.nonce, self.key) = (cipher, address, nonce, key)
    }

    /// Reads a link that is the whole text; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumByteCount,
            let cipher = Cipher.allCases.first(where: { text.hasPrefix($0.scheme) }),
            let mark = text.firstIndex(of: "#")
        else { return nil }
        let rest = text[..<mark].dropFirst(cipher.scheme.count)
        guard Self.isAddress(rest), let bytes = Self.bytes(text[text.index(after: mark)...]),
            cipher.nonceByteCounts.contains(bytes.count - cipher.keyByteCount)
        else { return nil }
        self.cipher = cipher
        address = Self.webScheme + String(rest)
        nonce = Array(bytes.dropLast(cipher.keyByteCount))
        key = Array(bytes.suffix(cipher.keyByteCount))
    }

    /// Whether a text claims to be a link of an encrypted file.
    public static func isLink(_ text: some StringProtocol) -> Bool {
        Cipher.allCases.contains { text.hasPrefix($0.scheme) }
    }

    /// The link as the body of a message.
    public var text: String {
        let digits = Array("0123456789abcdef".utf8)
        let fragment = (nonce + key).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return cipher.scheme + address.dropFirst(Self.webScheme.count) + "#"
            + String(decoding: fragment, as: UTF8.self)
    }

    /// The address without the key, which must not reach a log.
    public var description: String { address }

    /// Whether it is a host with a path, of visible characters.
    private static func isAddress(_ text: some StringProtocol) -> Bool {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), slash > text.startIndex else { return false }
        return text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"#\"<>\\^`{|}".utf8.contains($0) }
    }

    private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            let value: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }
}
