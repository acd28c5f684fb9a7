/// Percent-encoding of the components of a URI (RFC 3986 §2.1).
enum PercentEncoding {
    /// Characters that never need encoding (RFC 3986 §2.3).
    static let unreserved = ASCIISet.alphanumeric.union("-._~")

    /// The text with all octets outside the set encoded as `%` and two hexadecimal digits.
    static func encode(_ text: String, allowing allowed: ASCIISet) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for octet in text.utf8 {
            if allowed.contains(octet) {
                result.append(octet)
            } else {
                result.append(UInt8(ascii: "%"))
                result.append(hexDigit(octet >> 4))
                result.append(hexDigit(octet & 0xF))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The decoded text; `nil` if two digits do not follow each `%` or the octets are not UTF-8.
    static func decode(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var octets = text.utf8.makeIterator()
        while let octet = octets.next() {
            guard octet == UInt8(ascii: "%") else {
                result.append(octet)
                continue
            }
            guard let high = octets.next().flatMap(value), let low = octets.next().flatMap(value) else { return nil }
            result.append(high << 4 | low)
        }
        let decoded = String(decoding: result, as: UTF8.self)
        return decoded.utf8.elementsEqual(result) ? decoded : nil
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x41 + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
