public import XMLStreaming

/// The hash of a file's content (XEP-0300 Use of Cryptographic Hash Functions §3).
///
/// ```
/// C: <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>2XarmwTlNxDAMkvymloX3S5+VbylNrJt/l5QyPa+YoU=</hash>
/// ```
public struct FileHash: XMLPayload, Hashable {
    public static let name = XMLName("hash", "urn:xmpp:hashes:2")

    /// The registered name of the function, such as `sha-256`.
    public var algorithm: String
    public var value: [UInt8]

    public init(algorithm: String, value: [UInt8]) {
        self.algorithm = algorithm
        self.value = value
    }

    /// - Parameter digits: a SHA-256 in hexadecimal digits.
    public init?(sha256 digits: String) {
        var bytes: [UInt8] = []
        var rest = digits[...]
        while rest.count >= 2 {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard bytes.count == 32, rest.isEmpty else { return nil }
        self.init(algorithm: "sha-256", value: bytes)
    }

    /// The hash in lower-case hexadecimal digits, if it is a SHA-256.
    public var sha256: String? {
        guard algorithm == "sha-256" else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        algorithm = try element.required("algo").lowercased()
        guard let value = Base64.decode(ignoringWhitespace: element.text), !value.isEmpty else {
            throw XMLDecodingError(Self.name, .invalidText)
        }
        self.value = value
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("algo", algorithm)
        writer.text(Base64.encode(value))
        writer.end()
    }
}
