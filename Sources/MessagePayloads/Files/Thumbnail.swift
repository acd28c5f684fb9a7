public import XMLStreaming

/// A small picture of a file that was not downloaded yet (XEP-0264 Jingle Content Thumbnails).
///
/// ```
/// <thumbnail xmlns='urn:xmpp:thumbs:1' uri='cid:sha1+ffd7c8d28e9c5e82afea41f97108c6b4@bob.xmpp.org'
///    media-type='image/png' width='128' height='96'/>
/// ```
///
/// To request a web address reveals that the message was read, so do it only where a file would be downloaded too. The
/// size is a claim of the sender: never allocate memory from it (§5).
public struct Thumbnail: XMLPayload, Hashable {
    public static let name = XMLName("thumbnail", "urn:xmpp:thumbs:1")
    /// The maximum number of thumbnails of a file that are read.
    public static let limit = 4
    /// The maximum size of a picture inside of an address, in bytes: any picture with sides of 64 pixels fits.
    public static let contentLimit = 24 << 10
    /// The maximum length of an address, in bytes. A picture inside of an address is small.
    static let addressLimit = 64 << 10
    /// The greatest width and height that are read, in pixels; larger ones count as this.
    static let sideLimit = 4096

    /// Where the picture is: `cid:` (XEP-0231), `https:` or `data:`.
    public var uri: String
    public var mediaType: String?
    /// In pixels.
    public var width: Int?
    /// In pixels.
    public var height: Int?

    public init(uri: String, mediaType: String? = nil, width: Int? = nil, height: Int? = nil) {
        self.uri = uri
        self.mediaType = mediaType
        self.width = width
        self.height = height
    }

    /// A picture inside of its address (RFC 2397), which costs no request.
    ///
    /// - Returns: `nil` if it is empty or larger than ``contentLimit``.
    public init?(content: [UInt8], mediaType: String, width: Int? = nil, height: Int? = nil) {
        guard !content.isEmpty, content.count <= Self.contentLimit else { return nil }
        self.init(
            uri: "data:\(mediaType);base64,\(Base64.encode(content))", mediaType: mediaType, width: width,
            height: height)
    }

    /// The picture inside of the address, not decoded yet; `nil` if it is elsewhere, is not Base64, or is larger than
    /// ``contentLimit``.
    public var content: [UInt8]? {
        guard uri.prefix(5).lowercased() == "data:", let comma = uri.firstIndex(of: ","),
            uri[..<comma].lowercased().hasSuffix(";base64")
        else { return nil }
        let text = uri[uri.index(after: comma)...]
        guard text.utf8.count <= Self.contentLimit / 3 * 4, let bytes = Base64.decode(String(text)), !bytes.isEmpty
        else { return nil }
        return bytes
    }

    /// An invalid size reads as none.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        uri = try element.required("uri")
        guard !uri.isEmpty, uri.utf8.count <= Self.addressLimit else {
            throw XMLDecodingError(Self.name, .invalid("the address is empty or too long"))
        }
        mediaType = element["media-type"]
        func side(_ attribute: String) -> Int? {
            element[attribute].flatMap { Int($0) }.flatMap { $0 > 0 ? min($0, Self.sideLimit) : nil }
        }
        width = side("width")
        height = side("height")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("uri", uri)
        writer.attribute("media-type", mediaType)
        writer.attribute("width", width.map { String($0) })
        writer.attribute("height", height.map { String($0) })
        writer.end()
    }
}
