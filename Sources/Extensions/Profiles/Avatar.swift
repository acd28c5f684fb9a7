internal import Cryptography
public import XMLStreaming

/// An avatar, verified against its hash.
public struct Avatar: Sendable, Equatable {
    /// The maximum size of the avatars of others, in bytes. They are downloaded for every contact, so each must be
    /// small.
    public static let fetchLimit = 512 * 1024
    /// The maximum size of our own avatar, in bytes: it is sent in one stanza to every contact that requests it, and
    /// servers limit stanzas.
    public static let publishLimit = 128 * 1024

    /// SHA-1 in hexadecimal.
    public let id: String
    public let bytes: [UInt8]
    /// As stated by the owner; check it against the bytes.
    public let mediaType: String
    public let width: Int?
    public let height: Int?

    public init(_ bytes: [UInt8], mediaType: String, width: Int? = nil, height: Int? = nil) {
        id = Hex.encode(SHA1.hash(bytes))
        self.bytes = bytes
        self.mediaType = mediaType
        self.width = width
        self.height = height
    }

    var information: AvatarMetadata.Information {
        .init(id: id, byteCount: bytes.count, mediaType: mediaType, width: width, height: height)
    }
}

/// The bytes of an avatar (XEP-0084 User Avatar §4.1).
public struct AvatarData: XMLPayload, Equatable {
    public static let name = XMLName("data", "urn:xmpp:avatar:data")
    /// The personal event node for this data.
    public static let node = name.namespace

    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let bytes = Base64.decode(ignoringWhitespace: element.text), !bytes.isEmpty else {
            throw XMLDecodingError(Self.name, .invalidText)
        }
        self.bytes = bytes
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: Base64.encode(bytes))
    }
}

/// The avatar of an account and its available formats (XEP-0084 User Avatar §4.2).
///
/// ```
/// <metadata xmlns='urn:xmpp:avatar:metadata'><info bytes='12345' id='111f4b3c50d7b0df729d299bc6f8e9ef9066971f'
///    height='64' type='image/png' width='64'/></metadata>
/// ```
public struct AvatarMetadata: XMLPayload, Equatable {
    /// A format of the avatar.
    public struct Information: Sendable, Hashable {
        /// SHA-1 of the picture in hexadecimal; the identifier of the item with its data.
        public var id: String
        public var byteCount: Int
        public var mediaType: String
        public var width: Int?
        public var height: Int?
        /// The URL of the picture, if it is not in the data node.
        public var url: String?

        public init(
            id: String, byteCount: Int, mediaType: String, width: Int? = nil, height: Int? = nil, url: String? = nil
        ) {
            self.id = id
            self.byteCount = byteCount
            self.mediaType = mediaType
            self.width = width
            self.height = height
            self.url = url
        }
    }

    public static let name = XMLName("metadata", "urn:xmpp:avatar:metadata")
    /// The personal event node for this data.
    public static let node = name.namespace

    /// Empty if the account has no avatar (§3.5).
    public var forms: [Information]

    public init(_ forms: [Information] = []) {
        self.forms = forms
    }

    /// The format that is in the data node.
    public var published: Information? { forms.first { $0.url == nil } }

    /// Invalid formats are skipped, so that one invalid entry does not hide the others.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        forms = element.children(Self.informationName).compactMap { child in
            guard let id = child["id"], Self.isHash(id), let count = child["bytes"].flatMap({ Int($0) }), count > 0,
                let mediaType = child["type"]
            else { return nil }
            return Information(
                id: id.lowercased(), byteCount: count, mediaType: mediaType, width: child["width"].flatMap { Int($0) },
                height: child["height"].flatMap { Int($0) }, url: child["url"])
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for form in forms {
            writer.start(Self.informationName)
            writer.attribute("bytes", String(form.byteCount))
            writer.attribute("id", form.id)
            writer.attribute("type", form.mediaType)
            writer.attribute("width", form.width.map(String.init))
            writer.attribute("height", form.height.map(String.init))
            writer.attribute("url", form.url)
            writer.end()
        }
        writer.end()
    }

    /// Whether a text can be a SHA-1 hash. It may become part of a file name later, so nothing else is accepted.
    static func isHash(_ text: String) -> Bool {
        text.utf8.count == 40
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || (0x41...0x46).contains($0)
            }
    }

    private static let informationName = XMLName("info", name.namespace)
}
