internal import Cryptography
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

    /// The SHA-256 of `content`, which every receiver can verify.
    public static func sha256(of content: [UInt8]) -> FileHash {
        FileHash(algorithm: "sha-256", value: SHA256.hash(content))
    }

    /// Whether `content` has this hash; `nil` if the function is not supported.
    public func matches(_ content: [UInt8]) -> Bool? {
        switch algorithm {
        case "sha-1": SHA1.hash(content) == value
        case "sha-256": SHA256.hash(content) == value
        case "sha-512": SHA512.hash(content) == value
        default: nil
        }
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
