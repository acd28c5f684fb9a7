/// The address of an encrypted file together with its key (XEP-0454).
///
///     aesgcm://upload.example/4a771ac1/picture.jpg#8c3d…587
///
/// It must never be shown as a link or opened by a browser, because the key behind the `#` could reach the server
/// (XEP-0454 §6).
public struct AESGCMLink: Sendable, Hashable, CustomStringConvertible {
    /// The `https` address of the encrypted file, without a fragment.
    public let address: String
    /// 12 bytes; 16 in links of earlier programs.
    public let nonce: [UInt8]
    /// 32 bytes.
    public let key: [UInt8]

    private static let scheme = "aesgcm://"
    private static let webScheme = "https://"
    /// Bytes of the longest link that is read.
    private static let maximumByteCount = 8_192

    /// The link of a file that was uploaded to `address`; `nil` unless it is an `https` address without fragment, and
    /// nonce and key have 12 and 32 bytes.
    public init?(address: String, nonce: [UInt8], key: [UInt8]) {
        guard address.hasPrefix(Self.webScheme), Self.isAddress(address.dropFirst(Self.webScheme.count)),
            nonce.count == 12, key.count == 32
        else { return nil }
        (self.address, self.nonce, self.key) = (address, nonce, key)
    }

    /// Reads a link that is the whole text; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumByteCount, text.hasPrefix(Self.scheme),
            let mark = text.firstIndex(of: "#")
        else { return nil }
        let rest = text[..<mark].dropFirst(Self.scheme.count)
        guard Self.isAddress(rest), let bytes = Self.bytes(text[text.index(after: mark)...]),
            bytes.count == 44 || bytes.count == 48
        else { return nil }
        address = Self.webScheme + String(rest)
        nonce = Array(bytes.dropLast(32))
        key = Array(bytes.suffix(32))
    }

    /// The link as the body of a message.
    public var text: String {
        let digits = Array("0123456789abcdef".utf8)
        let fragment = (nonce + key).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return Self.scheme + address.dropFirst(Self.webScheme.count) + "#" + String(decoding: fragment, as: UTF8.self)
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
