/// The content of the file: one account on each line.
///
///     hongyan-passwords 1
///     juliet@example.org R0m30%20
///
/// Account and password are separated by one space; in both, every byte up to the space, the percent sign and
/// everything beyond ASCII is written as `%` and two hexadecimal digits, so that no text can break a line.
struct PasswordList: Equatable {
    /// The most bytes that are read: far more than anybody's accounts, far less than would hurt.
    static let maximumByteCount = 1 << 20

    private static let firstLine = "hongyan-passwords 1"

    var passwords: [String: String] = [:]

    init() {}

    /// Reads what ``bytes`` wrote; `nil` for anything else. No bytes at all are an empty list.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount else { return nil }
        if bytes.isEmpty { return }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, first.elementsEqual(Self.firstLine.utf8), lines.popLast()?.isEmpty == true else {
            return nil
        }
        for line in lines.dropFirst() {
            let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard parts.count == 2, let account = Self.decode(parts[0]), let password = Self.decode(parts[1]),
                passwords.updateValue(password, forKey: account) == nil
            else { return nil }
        }
    }

    /// The file's content, sorted by account.
    var bytes: [UInt8] {
        var bytes = Array(Self.firstLine.utf8) + [UInt8(ascii: "\n")]
        for (account, password) in passwords.sorted(by: { $0.key < $1.key }) {
            bytes += Self.encode(account) + [UInt8(ascii: " ")] + Self.encode(password) + [UInt8(ascii: "\n")]
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
