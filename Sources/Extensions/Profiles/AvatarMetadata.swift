public import XMLStreaming

/// Which avatar an account has, and in which forms it can be had (XEP-0084 User Avatar §4.2).
///
/// ```
/// <metadata xmlns='urn:xmpp:avatar:metadata'><info bytes='12345' id='111f4b3c50d7b0df729d299bc6f8e9ef9066971f'
///    height='64' type='image/png' width='64'/></metadata>
/// ```
public struct AvatarMetadata: XMLPayload, Equatable {
    /// One form of the picture.
    public struct Information: Sendable, Hashable {
        /// SHA-1 of the picture in hexadecimal; names the item with its data.
        public var id: String
        public var byteCount: Int
        public var mediaType: String
        public var width: Int?
        public var height: Int?
        /// Where else the picture is, if not in the data node.
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
    /// The node of personal events that holds this.
    public static let node = name.namespace

    /// Empty: the account has no avatar (§3.5).
    public var forms: [Information]

    public init(_ forms: [Information] = []) {
        self.forms = forms
    }

    /// The form that is in the data node.
    public var published: Information? { forms.first { $0.url == nil } }

    /// Forms that cannot be read are left out: one bad entry must not hide the others.
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

    /// Whether a text can be a SHA-1 hash. It may become part of a file's name later, so nothing else passes.
    static func isHash(_ text: String) -> Bool {
        text.utf8.count == 40
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || (0x41...0x46).contains($0)
            }
    }

    private static let informationName = XMLName("info", name.namespace)
}
