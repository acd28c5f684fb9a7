/// XEP-0106: local parts with characters that an address cannot contain, such as `d'artagnan` or a mail address.
///
/// Escape user input before it becomes a local part; unescape a local part only for display. Never compare or send the
/// unescaped form (XEP-0106 §4.1).
///
///     try JIDEscaping.escape("d'artagnan")       // d\27artagnan
///     JIDEscaping.unescape(#"treville\40musketeers.lit"#)   // treville@musketeers.lit
public enum JIDEscaping {
    private static let backslash = UInt8(ascii: #"\"#)
    private static let space = UInt8(ascii: " ")
    /// The characters of the table in XEP-0106 §3.2.
    private static let escaped = ASCIISet(#" "&'/:<>@\"#)

    /// The text with each disallowed character replaced by a backslash and two hexadecimal digits (XEP-0106 §3.2).
    ///
    /// A backslash stays unchanged unless it would read as the start of an escape: `\3and` becomes `\5c3and`, `c\net`
    /// stays.
    ///
    /// - Throws: ``AddressError`` if the text begins or ends with a space, which cannot be escaped there (§4.1 item 6).
    public static func escape(_ text: String) throws(AddressError) -> String {
        let octets = Array(text.utf8)
        guard octets.first != space, octets.last != space else { throw AddressError(.local, .spaceAtEnd) }
        var result: [UInt8] = []
        result.reserveCapacity(octets.count + 8)
        for (index, octet) in octets.enumerated() {
            let needsEscape =
                octet == backslash ? escape(at: index, in: octets) != nil : escaped.contains(octet)
            if needsEscape {
                result.append(backslash)
                result.append(hexDigit(octet >> 4))
                result.append(hexDigit(octet & 0xF))
            } else {
                result.append(octet)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text for display; sequences that are not escapes of the table stay unchanged (XEP-0106 §3.3).
    public static func unescape(_ localPart: String) -> String {
        let octets = Array(localPart.utf8)
        guard octets.contains(backslash) else { return localPart }
        var result: [UInt8] = []
        result.reserveCapacity(octets.count)
        var index = 0
        while index < octets.count {
            // "\20" at the start or end is never the result of escaping, so it is literal text (§4.1 item 6).
            if let character = escape(at: index, in: octets),
                character != space || (index > 0 && index + 3 < octets.count)
            {
                result.append(character)
                index += 3
            } else {
                result.append(octets[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The character whose escape begins at the index.
    private static func escape(at index: Int, in octets: [UInt8]) -> UInt8? {
        guard octets[index] == backslash, index + 2 < octets.count, let high = value(octets[index + 1]),
            let low = value(octets[index + 2])
        else { return nil }
        let character = high << 4 | low
        return escaped.contains(character) ? character : nil
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 + value - 10
    }

    /// Hexadecimal digits are lower case only: case is significant (XEP-0106 §3.1).
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

extension JID {
    /// Creates an address from a local part as typed by the user, escaped by XEP-0106.
    public init(escapingLocal local: String, domain: String, resource: String? = nil) throws(AddressError) {
        try self.init(local: JIDEscaping.escape(local), domain: domain, resource: resource)
    }

    /// The local part for display, unescaped by XEP-0106. Use it neither for comparison nor on the wire.
    public var unescapedLocal: String? {
        local.map(JIDEscaping.unescape)
    }
}
