/// A SCRAM message as its attributes in order (RFC 5802 §5.1, §7): `letter=value`, separated by commas.
package struct SCRAMMessage {
    package struct Attribute {
        package let letter: UInt8
        package let value: ArraySlice<UInt8>

        /// The value as text; the whole message was checked to be valid UTF-8.
        var text: String { String(decoding: value, as: UTF8.self) }
    }

    /// Why bytes are not a SCRAM message.
    package enum Fault: Error {
        case tooLong, invalidText, invalidAttribute, duplicateAttribute

        var part: String {
            switch self {
            case .tooLong: "the length"
            case .invalidText: "the encoding"
            case .invalidAttribute: "an attribute"
            case .duplicateAttribute: "a duplicate attribute"
            }
        }
    }

    package let attributes: [Attribute]

    /// Splits the message and checks only its form; the exchange decides which attributes are allowed where. No letter
    /// may occur twice, so that no two implementations can read different values.
    package init(parsing bytes: ArraySlice<UInt8>) throws(Fault) {
        guard bytes.count <= SCRAMLimits.maximumMessageByteCount else { throw .tooLong }
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { throw .invalidText }
        var attributes: [Attribute] = []
        var seen: Set<UInt8> = []
        for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let start = part.startIndex
            guard part.count >= 2, SCRAMMessage.isLetter(part[start]), part[start + 1] == UInt8(ascii: "=") else {
                throw .invalidAttribute
            }
            guard seen.insert(part[start]).inserted else { throw .duplicateAttribute }
            attributes.append(Attribute(letter: part[start], value: part[(start + 2)...]))
        }
        self.attributes = attributes
    }

    /// The value of the attribute at `position` if it is `letter`.
    package func value(at position: Int, _ letter: Unicode.Scalar) -> ArraySlice<UInt8>? {
        guard attributes.indices.contains(position), attributes[position].letter == UInt8(ascii: letter) else {
            return nil
        }
        return attributes[position].value
    }

    /// The value of the attribute `letter`, at any position.
    package func value(_ letter: Unicode.Scalar) -> ArraySlice<UInt8>? {
        attributes.first { $0.letter == UInt8(ascii: letter) }?.value
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Whether all bytes are printable ASCII without the comma, as a nonce is (RFC 5802 §7).
    package static func isPrintable(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
    }

    /// The digits of `posit-number` (RFC 5802 §7). A number beyond `Int` reads as `Int.max`, which exceeds every limit.
    static func positiveNumber(_ digits: ArraySlice<UInt8>) -> Int? {
        guard let first = digits.first, first != UInt8(ascii: "0") else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            number = overflow || carry ? Int.max : sum
        }
        return number
    }

    /// A name with its comma and equals sign written `=2C` and `=3D` (RFC 5802 §5.1).
    static func escape(_ name: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        for byte in name {
            switch byte {
            case UInt8(ascii: ","): escaped += Array("=2C".utf8)
            case UInt8(ascii: "="): escaped += Array("=3D".utf8)
            default: escaped.append(byte)
            }
        }
        return escaped
    }

    /// The name that ``escape(_:)`` encoded, or `nil` if anything else follows an equals sign.
    package static func unescape(_ name: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            switch Array(rest.prefix(2)) {
            case Array("2C".utf8): bytes.append(UInt8(ascii: ","))
            case Array("3D".utf8): bytes.append(UInt8(ascii: "="))
            default: return nil
            }
            rest = rest.dropFirst(2)
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
}

/// The limits for what a SCRAM client accepts from a server.
public enum SCRAMLimits {
    /// The minimum iteration count of a server (RFC 5802 §5.1, RFC 7677 §4). A lower one makes it cheap to guess the
    /// password from one recorded exchange, so an impostor would ask for few.
    public static let minimumIterations = 4096

    /// The maximum iteration count that is computed. Every published recommendation is lower (1 300 000 for SHA-1 in
    /// 2023), and a modern core needs about a second; without a limit one short message could keep it busy for hours.
    public static let maximumIterations = 2_000_000

    /// The accepted iteration counts, unless a policy sets others.
    public static let iterations = minimumIterations...maximumIterations

    /// The maximum length of a message, in bytes. Real ones have a few hundred; a longer salt or nonce has no use.
    public static let maximumMessageByteCount = 8192
}
