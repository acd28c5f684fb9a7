/// Encodes identifiers of the protocol for the database: a UUID as its 16 bytes and a decimal number as a number,
/// because most are one of the two and each is in a row and in an index; anything else as text.
///
/// Decoding returns exactly the same text.
enum StoredIdentifier {
    static func encode(_ id: String) -> SQLiteValue {
        var text = id
        return text.withUTF8 { bytes in
            if bytes.count == 36, let uuid = uuid(bytes) { return uuid }
            if let number = number(bytes) { return .integer(number) }
            return .text(id)
        }
    }

    static func encode(_ id: String?) -> SQLiteValue { id.map { encode($0) } ?? .null }

    static func decode(_ value: SQLiteValue) -> String? {
        switch value {
        case .null: return nil
        case .text(let text): return text
        case .integer(let number): return String(number)
        case .uuid(let high, let low):
            return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { self.text(Array($0)) }
        case .blob(let bytes): return self.text(bytes)
        }
    }

    private static func text(_ uuid: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in uuid.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// A lower-case UUID, as nearly all are; other spellings are stored as text.
    private static func uuid(_ bytes: UnsafeBufferPointer<UInt8>) -> SQLiteValue? {
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            let digit: UInt8
            switch (byte, index) {
            case (UInt8(ascii: "-"), 8), (UInt8(ascii: "-"), 13), (UInt8(ascii: "-"), 18), (UInt8(ascii: "-"), 23):
                continue
            case (_, 8), (_, 13), (_, 18), (_, 23): return nil
            case (UInt8(ascii: "0")...UInt8(ascii: "9"), _): digit = byte - UInt8(ascii: "0")
            case (UInt8(ascii: "a")...UInt8(ascii: "f"), _): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            if index < 18 {
                high = high << 4 | UInt64(digit)
            } else {
                low = low << 4 | UInt64(digit)
            }
        }
        return .uuid(high, low)
    }

    /// A number without a sign and leading zeros that fits into a column.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard (1...18).contains(bytes.count), bytes[0] != UInt8(ascii: "0") || bytes.count == 1 else { return nil }
        var number: Int64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
