/// The content of a file: one account on each line.
///
///     hongyan-passwords 1
///     juliet@example.org R0m30%20
///
/// One space separates the account from its password or token. In both, control characters, the space, the percent sign
/// and everything outside ASCII are written as `%` and two hexadecimal digits, so that no text can break a line.
struct SecretList: Equatable {
    /// The maximum number of bytes that are read: far more than any list of accounts needs, and still harmless.
    static let maximumByteCount = 1 << 20

    let kind: SecretKind
    /// By account.
    var secrets: [String: String] = [:]

    private var firstLine: String { "hongyan-\(kind.fileName) 1" }

    init(_ kind: SecretKind) {
        self.kind = kind
    }

    /// Parses the output of ``bytes``; `nil` for anything else. No bytes at all are an empty list.
    init?(_ kind: SecretKind, _ bytes: [UInt8]) {
        self.kind = kind
        guard bytes.count <= Self.maximumByteCount else { return nil }
        if bytes.isEmpty { return }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, first.elementsEqual(firstLine.utf8), lines.popLast()?.isEmpty == true else {
            return nil
        }
        for line in lines.dropFirst() {
            let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard parts.count == 2, let account = Self.decode(parts[0]), let secret = Self.decode(parts[1]),
                secrets.updateValue(secret, forKey: account) == nil
            else { return nil }
        }
    }

    /// The file's content, sorted by account.
    var bytes: [UInt8] {
        var bytes = Array(firstLine.utf8) + [UInt8(ascii: "\n")]
        for (account, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            bytes += Self.encode(account) + [UInt8(ascii: " ")] + Self.encode(secret) + [UInt8(ascii: "\n")]
        }
        return bytes
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encode(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return bytes
    }

    private static func decode(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard (0x21...0x7E).contains(byte) else { return nil }
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ digits.firstIndex(of: $0) }),
                let low = rest.popFirst().flatMap({ digits.firstIndex(of: $0) })
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
