public import XMLStreaming

/// Bytes inside a stanza, referenced elsewhere in it by `cid:` (XEP-0231 Bits of Binary §3).
///
/// ```
/// <data xmlns='urn:xmpp:bob' cid='sha1+8f35fef110ffc5df08d579a50083ff9308fb6242@bob.xmpp.org' max-age='0'
///     type='image/png'>iVBORw0KGgoAAAANSUhEUgAAALQ…</data>
/// ```
public struct BitsOfBinary: XMLPayload, Equatable {
    public static let name = XMLName("data", "urn:xmpp:bob")
    /// Bytes. More than a CAPTCHA picture needs; the limits of servers for a stanza are lower.
    static let limit = 256 * 1024

    /// The identifier of the bytes, without `cid:`.
    public var contentID: String
    public var mediaType: String?
    public var bytes: [UInt8]

    public init(contentID: String, mediaType: String?, bytes: [UInt8]) {
        self.contentID = contentID
        self.mediaType = mediaType
        self.bytes = bytes
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        contentID = try element.required("cid")
        mediaType = element["type"]
        guard let bytes = Base64.decode(ignoringWhitespace: element.text), bytes.count <= Self.limit else {
            throw XMLDecodingError(Self.name, .invalidText)
        }
        self.bytes = bytes
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("cid", contentID)
        writer.attribute("type", mediaType)
        writer.text(Base64.encode(bytes))
        writer.end()
    }
}
