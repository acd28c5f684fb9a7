public import XMLStreaming

/// Where the encrypted form of a file is, and what decrypts it (XEP-0448 Encryption for stateless file sharing §3.1).
///
/// ```
/// <encrypted xmlns='urn:xmpp:esfs:0' cipher='urn:xmpp:ciphers:aes-256-gcm-nopadding:0'>
///   <key>SuRJ2agVm/pQbJQlPq/B23Xt1YOOJCcEGJA5HrcYOGQ=</key><iv>T8RDMBaiqn6Ci4Nw</iv>
///   <sources xmlns='urn:xmpp:sfs:0'>
///     <url-data xmlns='http://jabber.org/protocol/url-data' target='https://…'/></sources>
/// </encrypted>
/// ```
///
/// It must only travel inside of encrypted messages. It is refused if the cipher is unknown or key and vector do not
/// have its lengths.
public struct EncryptedSource: XMLPayload, Equatable {
    /// The raw values are namespaces (§4).
    public enum Cipher: String, Sendable, CaseIterable {
        case aes128GCM = "urn:xmpp:ciphers:aes-128-gcm-nopadding:0"
        case aes256GCM = "urn:xmpp:ciphers:aes-256-gcm-nopadding:0"
        case aes256CBC = "urn:xmpp:ciphers:aes-256-cbc-pkcs7:0"

        public var keyByteCount: Int { self == .aes128GCM ? 16 : 32 }
        public var vectorByteCount: Int { self == .aes256CBC ? 16 : 12 }
    }

    public static let name = XMLName("encrypted", "urn:xmpp:esfs:0")

    public var cipher: Cipher
    public var key: [UInt8]
    public var vector: [UInt8]
    /// The hashes of the encrypted file; those of the file itself are in its metadata.
    public var hashes: [FileHash]
    /// The addresses of the encrypted file, best first.
    public var urls: [String]

    public init(_ cipher: Cipher, key: [UInt8], vector: [UInt8], hashes: [FileHash] = [], urls: [String]) {
        self.cipher = cipher
        self.key = key
        self.vector = vector
        self.hashes = hashes
        self.urls = urls
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let namespace = try element.required("cipher")
        guard let cipher = Cipher(rawValue: namespace) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("cipher", value: namespace))
        }
        self.cipher = cipher
        key = try Self.bytes(Self.keyName, cipher.keyByteCount, in: element)
        vector = try Self.bytes(Self.vectorName, cipher.vectorByteCount, in: element)
        hashes = element.children.filter { $0.isNamed(FileHash.name) }.compactMap { try? FileHash(from: $0) }
        urls = SharedFile.urls(in: element)
    }

    private static func bytes(
        _ name: XMLName, _ count: Int, in element: XMLElement
    ) throws(XMLDecodingError) -> [UInt8] {
        guard let bytes = Base64.decode(ignoringWhitespace: try element.required(name).text), bytes.count == count
        else { throw XMLDecodingError(name, .invalidText) }
        return bytes
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name) { writer in
            writer.attribute("cipher", cipher.rawValue)
            writer.element(Self.keyName, text: Base64.encode(key))
            writer.element(Self.vectorName, text: Base64.encode(vector))
            for hash in hashes { hash.encode(to: &writer) }
            writer.start(SharedFile.sourcesName)
            SharedFile.encode(urls, to: &writer)
            writer.end()
        }
    }

    private static let keyName = XMLName("key", name.namespace)
    private static let vectorName = XMLName("iv", name.namespace)
}
